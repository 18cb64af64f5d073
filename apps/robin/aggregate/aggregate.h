// WinsorizedMeanHighD: the mean of clients' estimates with user-level differential privacy (Levy et al. 2021, "Learning
// with User-Level Privacy", algorithms 1 and 2; Huang et al. 2023, algorithm 4).
//
// Two inputs are neighbours if n and the settings are equal, and if only one estimate differs, in any of its numbers.
// The aggregator that calls aggregate() is trusted: it sees all estimates.
//
// The steps of aggregate():
// - It scales each estimate that is longer than the bound, so that its length equals the bound. It rounds all estimates
//   to a lattice.
// - It pads the estimates with zeros to D numbers, a power of two, and rotates them by U = D^(-1/2) H S. H is the
// Hadamard matrix. S has random signs, which aggregate() draws for each release and which are public.
// - For each coordinate, it draws a bin of width 2 tau with the exponential mechanism (PrivateRange, mechanism.h).
// - It widens the bin to 4 tau, clips the values to the widened bin, and adds up the clipped values. It adds discrete
// noise to the sum. One estimate changes the sum by at most 4 tau.
// - It divides the sum by n, rotates it back, and drops the padding.
//
// The D coordinates have equal shares of the budget of a release. Half of a coordinate's share is for the range, and
// half is for the mean. With zcdp composition and rho for each coordinate, eta is sqrt(rho). The draw of a bin is then
// a mechanism of 2 eta-bounded range, and costs (2 eta)^2 / 8 = rho / 2. Gaussian noise has the standard deviation 4
// tau / sqrt(rho), and Laplace noise has the scale 4 tau / sqrt(rho). With basic or nested composition and epsilon for
// each coordinate, eta is epsilon / 4, so the range is (epsilon / 2)-DP. Laplace noise then has the scale 8 tau /
// epsilon. If aggregate() draws no range, the mean uses the whole share.
//
// The mean, the signs and the ranges of a result may be published. The counts of a result are exact and must not be
// published.
//
// Throws InputError for an estimate that is not finite, and for fewer than two estimates. Throws InputError for a tau
// or bound that is not finite and above 0, more than 2^20 bins, and Gaussian noise without zcdp. Throws InputError if
// the share is so small that the noise does not fit the lattice's integers. Throws std::invalid_argument for sizes that
// do not match. If aggregate() throws, it has drawn nothing.
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
  std::vector<std::pair<double, double>> ranges;
  std::vector<int> signs;
  double noise_scale = 0;  // scale of Laplace noise, or standard deviation of Gaussian noise
  double noise_sd = 0;
  std::size_t clipped = 0;  // number of estimates above the bound; exact, must not be published
  std::size_t outside = 0;  // number of coordinates clipped to ranges; exact, must not be published
};

[[nodiscard]] std::size_t padded_dimension(std::size_t dimension);

// `estimates` is n x d, row-major.
[[nodiscard]] AggregateResult aggregate(std::span<const double> estimates, const AggregateSettings& settings,
                                        Coins& coins);

[[nodiscard]] double noise_sd(const AggregateSettings& settings, std::size_t clients);

// An upper bound on the probability that the private range of some coordinate misfires: D (bins - 1) exp(-eta n (1/2 -
// tail)). A range misfires if the centre of its bin is further than 2 tau from the coordinate's median. At least half
// of the estimates are then clipped to one end.
//
// The formula assumes that at most a fraction `tail` of the estimates is further than tau above the median. It also
// assumes that at most a fraction `tail` is further than tau below the median. Under this assumption, the median's bin
// costs at most n / 2, and the bin of a range that misfires costs at least n (1 - tail).
//
// If the estimates have a symmetric distribution with one peak, a smaller `tail` is valid: the fraction of the
// estimates that is further than 2 tau above the median. This fraction is enough, because a bin costs less than n / 2
// if the median is further than tau from the bin's edge. The default of `tail` is the fraction of normal estimates that
// is further than tau above the median, if tau is 1.5 standard deviations. Returns 0 if aggregate() draws no private
// range.
[[nodiscard]] double misfire_chance(const AggregateSettings& settings, std::size_t clients, double tail = 0.067);

}  // namespace sotto::apps::robin
