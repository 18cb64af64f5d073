// WinsorizedMeanHighD: the mean of clients' estimates, user-level differentially private. Levy et al. 2021, "Learning
// with User-Level Privacy", algorithms 1 and 2; algorithm 4 of Huang et al. 2023.
//
// The input is n estimates of d numbers each, at least two estimates. Neighbouring inputs have equal n and settings and
// differ in one whole estimate. The aggregator that calls this is trusted: it sees all estimates.
//
//  1. An estimate longer than the bound is shortened to the bound. All estimates are rounded to a lattice: the steps
//     below compute with whole numbers.
//  2. They are padded with zeros to D, a power of two, and rotated by U = D^(-1/2) H S: H is the Hadamard matrix, S has
//     random signs, drawn for each release and public. (U is applied without the factor, so exactly; the factor is in
//     the lattice's step.)
//  3. For each coordinate, the private range: bins of width 2 tau cover all that the bound allows. An exponential
//     mechanism picks a bin by the cost max(estimates in bins below, in bins above). One estimate changes a cost by at
//     most 1, some costs up, others down: probabilities proportional to exp(-eta cost) have a bounded range of 2 eta.
//     The sampling is exact.
//  4. The coordinate is clipped to that bin widened to 4 tau and added up, and discrete noise is added: one estimate
//     changes the sum by at most 4 tau.
//  5. The sum is divided by n and rotated back, and the padding is dropped.
//
// The share of a release is divided evenly among the D coordinates, and each coordinate's share in halves between range
// and mean. With zcdp and rho for each coordinate, the range has eta = sqrt(rho) (2 eta-bounded range, so (2 eta)^2 / 8
// = rho / 2). Gaussian noise has the standard deviation 4 tau / sqrt(rho), or Laplace noise the scale 4 tau /
// sqrt(rho). With basic and nested and epsilon for each coordinate, eta = epsilon / 4 (epsilon / 2-DP), and Laplace
// noise has the scale 8 tau / epsilon. If no range is drawn (clipping round the last release, or a single bin), the
// mean gets the whole share.
//
// Three fields of a result may be published: mean, signs, ranges. The counts are exact and may not.
//
// Errors: InputError for an estimate that is not finite, and for fewer than two estimates. InputError for tau or bound
// not above 0 and finite, more than 2^20 bins, Gaussian noise without zcdp, and a share so small that the noise leaves
// the lattice. std::invalid_argument for sizes that do not fit. In all these cases nothing is drawn.
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
  std::vector<int> signs;                         // of S: 1 or -1 for each padded coordinate
  double noise_scale = 0;                         // of the mean: Laplace's scale, or the Gaussian's standard deviation
  double noise_sd = 0;                            // standard deviation of the noise in each coordinate of the mean
  std::size_t clipped = 0;                        // estimates longer than the bound; exact, not to be published
  std::size_t outside = 0;  // coordinates of estimates clipped to ranges; exact, not to be published
};

// The number of coordinates that a release spends on: the smallest power of two that is at least d.
[[nodiscard]] std::size_t padded_dimension(std::size_t dimension);

// estimates: n x d, row-major.
[[nodiscard]] AggregateResult aggregate(std::span<const double> estimates, const AggregateSettings& settings,
                                        Coins& coins);

// The standard deviation of the noise that aggregate() adds to each coordinate of the mean of `clients` estimates.
[[nodiscard]] double noise_sd(const AggregateSettings& settings, std::size_t clients);

// An upper estimate of the chance that the private range of some coordinate misfires. A range misfires if the centre of
// its bin is further than 2 tau from the coordinate's median: at least half of the estimates are then clipped to one
// end. The estimate is D (bins - 1) exp(-eta n (1/2 - tail)). The median's bin costs at most n / 2, and a bin that
// misses costs at least n (1 - tail). Here at most the part `tail` of the estimates is further than tau above the
// median, and at most that part below. If estimates are spread symmetrically with one peak, `tail` may be the part
// beyond 2 tau: a median further than tau from the bin's edge then costs less than n / 2. The default is the part of
// normal estimates beyond a tau of 1.5 standard deviations. Returns 0 without a private range.
[[nodiscard]] double misfire_chance(const AggregateSettings& settings, std::size_t clients, double tail = 0.067);

}  // namespace sotto::apps::robin
