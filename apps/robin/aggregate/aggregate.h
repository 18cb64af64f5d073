// WinsorizedMeanHighD: the mean of clients' estimates, user-level differentially private. Levy et al. 2021, "Learning
// with User-Level Privacy", algorithms 1 and 2; algorithm 4 of Huang et al. 2023.
//
// n estimates of d numbers each, at least two. Neighbouring inputs have equal n and settings and differ in one whole
// estimate. The aggregator that calls this is trusted: it sees all estimates.
//
//  1. An estimate longer than the bound is shortened to it. All are rounded to a lattice: from here on, numbers are
//     whole.
//  2. They are padded with zeros to D, a power of two, and rotated by U = D^(-1/2) H S: H the Hadamard matrix, S random
//     signs, drawn afresh and public. (U is applied without the factor, so exactly; the factor is in the lattice's
//     step.)
//  3. For each coordinate, the private range: bins of width 2 tau over all that the bound allows; an exponential
//     mechanism picks one by the cost max(estimates in bins below, in bins above). One estimate changes a cost by 1 at
//     most, some costs up, others down: probabilities proportional to exp(-eta cost) have a bounded range of 2 eta.
//     Sampled exactly.
//  4. Clipped to that bin widened to 4 tau, added up, plus discrete noise: one estimate changes the sum by 4 tau at
//     most.
//  5. Divided by n, rotated back, the padding dropped.
//
// The share of a release is divided evenly among the D coordinates, and each coordinate's in halves between range and
// mean. zcdp, rho a coordinate: the range has eta = sqrt(rho) (2 eta-bounded range, so (2 eta)^2 / 8 = rho / 2),
// Gaussian noise the standard deviation 4 tau / sqrt(rho), or Laplace noise the scale 4 tau / sqrt(rho). basic and
// nested, epsilon a coordinate: eta = epsilon / 4 (epsilon / 2-DP), Laplace noise of scale 8 tau / epsilon. Where no
// range is drawn (clipping round the last release, or a single bin) the mean has it all.
//
// What may be published of a result: mean, signs, ranges. Not the counts: they are exact.
//
// Errors: InputError for an estimate that is not finite, fewer than two of them, tau or bound not above 0 and finite,
// more than 2^20 bins, Gaussian noise without zcdp, a share so small that the noise leaves the lattice;
// std::invalid_argument for sizes that do not fit. Nothing is drawn then.
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
  std::vector<std::pair<double, double>> ranges;  // clipped to these, a pair a rotated coordinate
  std::vector<int> signs;                         // of S: 1 or -1, a number a padded coordinate
  double noise_scale = 0;                         // of the mean: Laplace's scale, or the Gaussian's standard deviation
  double noise_sd = 0;                            // standard deviation of the noise in each coordinate of the mean
  std::size_t clipped = 0;                        // estimates longer than the bound; exact, not to be published
  std::size_t outside = 0;                        // coordinates of estimates clipped to ranges; exact, likewise
};

// The number of coordinates that a release spends on: the least power of two that is at least d.
[[nodiscard]] std::size_t padded_dimension(std::size_t dimension);

// estimates: n x d, row-major.
[[nodiscard]] AggregateResult aggregate(std::span<const double> estimates, const AggregateSettings& settings,
                                        Coins& coins);

// The standard deviation of the noise that aggregate() adds to each coordinate of the mean of `clients` estimates.
[[nodiscard]] double noise_sd(const AggregateSettings& settings, std::size_t clients);

// An upper estimate of the chance that the private range of some coordinate misfires: that the centre of its bin is
// further than 2 tau from the coordinate's median, so that half of the estimates or more are clipped to one end. D
// (bins - 1) exp(-eta n (1/2 - tail)), as the median's bin costs n / 2 at most and a bin that misses n (1 - tail) at
// least, where at most the part `tail` of the estimates is further than tau above the median, and at most that part
// below. Where estimates are spread symmetrically with one peak, the part beyond 2 tau will do: a median further than
// tau from the bin's edge then costs less than n / 2. The default is the part of normal estimates beyond a tau of 1.5
// standard deviations. 0 without a private range.
[[nodiscard]] double misfire_chance(const AggregateSettings& settings, std::size_t clients, double tail = 0.067);

}  // namespace sotto::apps::robin
