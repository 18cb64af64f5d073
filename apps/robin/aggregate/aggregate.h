// WinsorizedMeanHighD: the mean of clients' estimates with user-level differential privacy. The algorithms are 1 and 2
// of Levy et al. 2021, "Learning with User-Level Privacy", and 4 of Huang et al. 2023.
//
// The input is n estimates of d numbers each, at least two estimates. Neighbouring inputs have equal n and settings,
// and differ in one estimate, in any of its numbers. The aggregator that calls aggregate() is trusted: it sees all
// estimates.
//
//  1. An estimate longer than the bound is shortened to the bound. All estimates are rounded to a lattice, so that the
//     steps below compute with whole numbers.
//  2. The estimates are padded with zeros to D numbers, a power of two, and rotated by U = D^(-1/2) H S. H is the
//     Hadamard matrix; S has random signs, which are drawn for each release and are public. (The factor D^(-1/2) is not
//     applied to the numbers, so nothing is rounded; the lattice's step contains the factor.)
//  3. For each coordinate, PrivateRange finds a range. Bins of width 2 tau cover all values that the bound allows. An
//     exponential mechanism picks a bin by its cost: max(number of estimates in lower bins, number of estimates in
//     higher bins). One estimate changes each cost by at most 1; some costs rise and others fall. Probabilities
//     proportional to exp(-eta cost) therefore have a bounded range of 2 eta. The sampling is exact.
//  4. For each coordinate, the bin is widened to 4 tau, the values are clipped to the widened bin, and the clipped
//     values are added up. Discrete noise is added to the sum, which one estimate changes by at most 4 tau.
//  5. The sum is divided by n and rotated back, and the padding is dropped.
//
// The release's share of the budget is divided evenly among the D coordinates. Half of a coordinate's share is for the
// range, and half is for the mean. With zcdp composition and rho for each coordinate, eta is sqrt(rho): the bounded
// range of 2 eta costs (2 eta)^2 / 8 = rho / 2. Gaussian noise has the standard deviation 4 tau / sqrt(rho), and
// Laplace noise has the scale 4 tau / sqrt(rho). With basic or nested composition and epsilon for each coordinate, eta
// is epsilon / 4, so the range is (epsilon / 2)-DP. Laplace noise then has the scale 8 tau / epsilon. If no range is
// drawn (because values are clipped around the last release, or there is a single bin), the mean gets the whole share.
//
// Three fields of a result may be published: mean, signs, ranges. The counts are exact and must not be published.
//
// Errors: InputError for an estimate that is not finite, and for fewer than two estimates. InputError for a tau or
// bound that is not finite and above 0, more than 2^20 bins, and Gaussian noise without zcdp. InputError for a share so
// small that the noise leaves the lattice. std::invalid_argument for sizes that do not match. If aggregate() throws,
// nothing has been drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/robin/aggregate/mechanism.h"

namespace sotto::apps::robin {

struct AggregateResult {
  std::vector<double> mean;
  std::vector<std::pair<double, double>> ranges;  // the clipping ranges, a pair for each rotated coordinate
  std::vector<int> signs;                         // the signs of S: 1 or -1 for each padded coordinate
  double noise_scale = 0;                         // the mean's noise: Laplace's scale or the Gaussian's deviation
  double noise_sd = 0;                            // standard deviation of the noise in each coordinate of the mean
  std::size_t clipped = 0;                        // number of estimates above the bound; exact, must not be published
  std::size_t outside = 0;  // number of coordinates clipped to ranges; exact, must not be published
};

// The number of coordinates among which a release divides its budget: the smallest power of two that is at least d.
[[nodiscard]] std::size_t padded_dimension(std::size_t dimension);

// Runs one release. `estimates` is n x d, row-major.
[[nodiscard]] AggregateResult aggregate(std::span<const double> estimates, const AggregateSettings& settings,
                                        Coins& coins);

// The standard deviation of the noise that aggregate() adds to each coordinate of the mean of `clients` estimates.
[[nodiscard]] double noise_sd(const AggregateSettings& settings, std::size_t clients);

// An upper estimate of the chance that the private range of some coordinate misfires. A range misfires if the centre of
// its bin is further than 2 tau from the coordinate's median: at least half of the estimates are then clipped to one
// end. The upper estimate is D (bins - 1) exp(-eta n (1/2 - tail)). The formula assumes that at most a fraction `tail`
// of the estimates is further than tau above the median. It also assumes that at most a fraction `tail` is further than
// tau below the median. If the assumption holds, the median's bin costs at most n / 2, and a bin that misses costs at
// least n (1 - tail). If the estimates are spread symmetrically with one peak, `tail` may be the fraction of the
// estimates that is further than 2 tau above the median. This fraction is enough, because a bin costs less than n / 2
// if the median is further than tau from the bin's edge. The default of `tail` is the fraction of normal estimates that
// is further than tau above the median if tau is 1.5 standard deviations. Returns 0 if no private range is drawn.
[[nodiscard]] double misfire_chance(const AggregateSettings& settings, std::size_t clients, double tail = 0.067);

}  // namespace sotto::apps::robin
