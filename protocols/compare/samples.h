// The dealer's private samples of one argmax: the ranks that break ties, and the exploration.
//
// Functionality   the dealer draws a uniform permutation, the Bernoulli bit (an integer threshold)
//                 and a uniform arm (by rejection) from its own coins; all other roles hold nothing.
// Rounds, bytes   none, nothing dealt.
// Who sees what   the dealer alone; the samples reach the parties only inside fresh sharings of
//                 tables and masks.
#pragma once

#include <cstddef>

#include "sotto/core/party/party.h"

namespace sotto::protocols {

[[nodiscard]] inline Samples draw_samples(Party& party, std::size_t arms, Exploration exploration) {
  return party.preprocessing().samples(arms, exploration);
}

}  // namespace sotto::protocols
