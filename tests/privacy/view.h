// The joint view of a group of roles, over all repetitions, and its examination.
//
// The lemma of docs/explain/protocols.md names the parts of the view:
//
//   fresh     lanes received from outside and openings as a whole, without the slots that open an output: uniform, pair
//             by pair, and together with every word that a member holds
//   dealt     the corrections, if the last party is a member: uniform
//   the rest  what members send, the outputs with all their shares, the programs' results: alike for two secrets with
//             the same outputs
//
// Held words are the windows of 1 to 8 bytes at every byte of an expansion, of the sum of the members' expansions, and
// of the corrections. The examination so needs no knowledge of where a mask was drawn.
#pragma once

#include "tests/privacy/statistics.h"
#include "tests/privacy/transcript.h"

namespace sotto::privacy {

// One bit per node.
using Members = std::uint32_t;
[[nodiscard]] std::string describe(const Topology& topology, Members members);
[[nodiscard]] inline bool holds(Members members, NodeId node) { return (members >> node & 1) != 0; }

// 0 .. count - 1, or `most` of them, the first and the last included.
[[nodiscard]] std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most);

// The chosen bits of a word, next to each other from the lowest on.
[[nodiscard]] std::uint64_t gathered_bits(std::uint64_t word, std::uint64_t chosen);

struct Outputs {
  std::vector<std::string> labels;  // of slots that open an output to a member
  [[nodiscard]] bool has(const std::string& label) const;
};

// runs[0] under the first secret, runs[1] under the second, `repetitions` each.
using Runs = std::array<std::vector<Run>, 2>;

void examine(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs, Examination& examination);

// Relations of words of a view: is a sum of some words always even, or always odd? This works as in rank.h, but over
// runs that are recorded anyway. It takes as many words at once as these runs allow, in the order of the words'
// messages, and then in the order of the messages' labels.

// The words are those received from outside, with shares as they come and with openings as a whole, and those from the
// members' keys, without outputs. Each word counts by its lowest bit and by another bit.
void append_relations(const Layout& layout, const Runs& runs, Members members, const Outputs& outputs,
                      std::vector<std::string>& findings);

}  // namespace sotto::privacy
