// Transcripts by rank over GF(2): is any sum of words of a view always even, or always odd? docs/privacy.md says what
// is looked at and why. What a view determines is left out, by structure:
//
//   what members send       is a function of their inputs and of the rest of their view
//   one word an output      the shares that open an output, in the slots that the experiment names, add up to it: the
//                           last one from outside follows from the others, whatever the output is
//   padding                 of packed Boolean messages: as many bits as those carried exceed those masked by draws
//   an owner's own input    is fixed, and is no word of the view: its masked form is what was sent
//
// Each view is looked at three times: by the lowest bit of each word as received; by the same with each opening, the
// sum of all its shares, in place of the last share from outside (shares are products with opened words, openings are
// not, so that relations between masks stay linear); by some higher bit of each word, as no carry may tell of another
// word. Of Boolean words every bit is looked at.
#pragma once

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
