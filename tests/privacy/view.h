// The joint view of a group of roles over all repetitions, and the examination of this view.
//
// The lemma of docs/explain/protocols.md names the parts of the view:
//
//   Fresh     the lanes that members receive from non-members, and the openings, except in the slots that open an
//             output. Each fresh word must be uniform. Each pair of a fresh word with another fresh word, or with a
//             word that a member holds, must be uniform too.
//   Dealt     the corrections, if the last party is a member. Corrections must be uniform.
//   The rest  what members send, the outputs with all their shares, and the results of the programs. The rest must look
//             alike for two secrets with the same outputs.
//
// Held words are the windows of 1 to 8 bytes at every byte of an expansion, of the sum of the members' expansions, and
// of the corrections. So the examination does not need to know where a mask was drawn.
#pragma once

#include "tests/privacy/statistics.h"
#include "tests/privacy/transcript.h"

namespace sotto::privacy {

// A set of nodes, one bit per node.
using Members = std::uint32_t;
[[nodiscard]] std::string describe(const Topology& topology, Members members);
[[nodiscard]] inline bool holds(Members members, NodeId node) { return (members >> node & 1) != 0; }

// Returns the numbers 0 to count - 1, or `most` evenly spaced numbers if there are more. The first and the last number
// are always included.
[[nodiscard]] std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most);

// Returns the chosen bits of a word, packed from the lowest bit upwards.
[[nodiscard]] std::uint64_t gathered_bits(std::uint64_t word, std::uint64_t chosen);

struct Outputs {
  std::vector<std::string> labels;  // labels of the slots that open an output to a member
  [[nodiscard]] bool has(const std::string& label) const;
};

// runs[0] has the runs with the first secret, and runs[1] the runs with the second secret. Each list has `repetitions`
// runs.
using Runs = std::array<std::vector<Run>, 2>;

void examine(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs, Examination& examination);

// Looks for relations between words of a view: is a sum of some words always even, or always odd? The method is that of
// rank.h, but the runs are those that examine() uses. The number of runs limits how many words can be examined
// together. If the view has more words, they are examined in parts: once in the order of their messages, and once in
// the order of the labels.

// The examined words are the words received from non-members, once as shares and once as openings, and the words from
// the members' keys. Outputs are left out. The lowest bit and one other bit of each word are examined.
void append_relations(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs,
                      std::vector<std::string>& findings);

}  // namespace sotto::privacy
