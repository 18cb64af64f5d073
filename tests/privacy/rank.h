// Transcripts by rank over GF(2): is any sum of words of a view always even, or always odd?
//
// The pairs of view.h see a mask that serves twice, not one that is the sum of two others. This test sees every odd
// relation between any number of words: K bits of a view, one of each word, are collected over K + 64 runs of the same
// inputs and fresh seeds. With a column of ones beside them they must be linearly independent. A relation a w_1 + b w_2
// + ... = c in Z/2^k that holds in all runs shows in the lowest bits of the words whose factors are odd. Bits that are
// uniform and independent are found dependent with a probability below 2^-63.
//
// The words of a view are those that the group receives from outside and those that its members expand: every lane of
// every draw, entries of tables that nobody reads included, of the members' streams, of the corrections where the last
// party is a member, and of the seeds that pairs of parties agree on. By the lemma of docs/protocols.md all of them
// together are uniform. What
// the view determines is left out, by structure:
//
//   what members send       is a function of their inputs and of the rest of their view
//   one word an output      the shares that open an output, in the slots that the experiment names,
//                           add up to it: the last one from outside follows from the others. What the output is does
//                           not matter, so it may be the same in all runs
//   padding                 bits of Boolean messages are packed, and the last word is filled up
//                           with zeros: as many as the bits carried exceed those masked, which is held against the
//                           draws
//   an owner's own input    is fixed, and is no word of the view: its masked form is what was sent
//
// Of a draw of more than 256 lanes (tables of a tournament, no others) 64 are looked at, evenly spaced. Nothing else is
// left out: masked openings, dealt shares and one-time tables are all there. (Where a group holds n-1 shares of a dealt
// sharing, the n-th is not in its view.) Each view is looked at three times:
//
//   the lowest bit of each word, as received
//   the same with each opening, the sum of all its shares, in place of the last share from outside: shares are products
//   with opened words, openings are not, so that relations between masks stay linear
//   some higher bit of each word, another one for each; no carry may tell of another word
//
// Of Boolean words every bit is looked at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/privacy/experiment.h"

namespace sotto::privacy {

struct RankOutcome {
  std::size_t views = 0;
  std::size_t runs = 0;
  std::size_t most_words = 0;         // K of the largest view
  std::vector<std::string> findings;  // a view and the words of its relation each
};

// For all groups of n-1 of the n parties, with and without the actor or the rewarder, for these alone, and for the
// dealer.
[[nodiscard]] RankOutcome examine_rank(const Experiment& experiment, std::size_t parties);

}  // namespace sotto::privacy
