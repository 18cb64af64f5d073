// PrivateRange (Levy et al. 2021, algorithm 1): the bin that holds the middle of some numbers, by an exponential
// mechanism that is sampled exactly.
//
// The cost of a bin is max(numbers in bins below it, numbers in bins above it). Replacing one number moves it from some
// bin to another; only bins between these two change their costs, each by 1 up or down. So probabilities proportional
// to exp(-eta cost) are 2 eta-DP and of 2 eta-bounded range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/apps/kit/dp/coins.h"
#include "sotto/apps/kit/dp/samplers.h"

namespace sotto::apps {

// The costs of bins that hold these counts.
[[nodiscard]] std::vector<std::uint64_t> range_costs(std::span<const std::uint64_t> counts);

// An index with probability proportional to exp(-eta cost), at least one cost. The products of eta's numerator and
// differences of costs must fit a word.
[[nodiscard]] std::size_t exponential_mechanism(Coins& coins, std::span<const std::uint64_t> costs, Ratio eta);

}  // namespace sotto::apps
