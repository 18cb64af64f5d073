// The public parameters of one release, and the functions that aggregate() consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/kit/dp/samplers.h"

namespace sotto::apps::robin {

inline constexpr double most_bins = 0x1p20;

enum class NoiseKind : std::uint8_t { laplace, gaussian };

struct AggregateSettings {
  std::size_t dimension = 1;
  double bound = 1;  // the largest Euclidean norm of an estimate
  double tau = 0;    // most estimates are within tau of their mean, in every rotated coordinate
  NoiseKind noise = NoiseKind::gaussian;
  ReleaseShare share;
  // If set, aggregate() clips values around this estimate (the last release), and draws no private range.
  std::optional<std::vector<double>> around;
};

[[nodiscard]] std::vector<int> draw_signs(Coins& coins, std::size_t padded);
// Replaces the vector v of `values` by H S v, without rounding. The factor D^(-1/2) is part of the lattice's step.
// Throws std::invalid_argument unless the number of values equals the number of signs and is a power of two. The sum of
// the absolute values must fit 63 bits.
void rotate(std::span<std::int64_t> values, std::span<const int> signs);
// Replaces the vector v of `values` by (H S)^-1 v = S H v / D, in floating point.
void rotate_back(std::span<double> values, std::span<const int> signs);

// The costs of PrivateRange (Levy et al. 2021, algorithm 1), which finds the bin with the median of some numbers. The
// cost of a bin is the larger of two counts: how many numbers are in lower bins, and how many are in higher bins.
// If one number is replaced, the costs of the bins between its old and its new bin change by at most 1, and no other
// costs change. Probabilities proportional to exp(-eta cost) are therefore 2 eta-DP and have a 2 eta-bounded range.
[[nodiscard]] std::vector<std::uint64_t> range_costs(std::span<const std::uint64_t> counts);
// Draws a bin. Each product of eta's numerator and a difference of costs must fit a word.
[[nodiscard]] std::size_t exponential_mechanism(Coins& coins, std::span<const std::uint64_t> costs, Ratio eta);

// Estimates are whole multiples of `step`, and rotated coordinates are whole multiples of `rotated_step`.
struct AggregateMechanism {
  std::size_t padded = 1;   // D
  std::int64_t tau = 0;     // tau in rotated steps, a power of two, far larger than the rounding errors
  double step = 0;          // rotated_step sqrt(D), because rotate() leaves out the factor D^(-1/2)
  double rotated_step = 0;  // tau of AggregateSettings, divided by the member `tau`
  std::int64_t reach = 0;   // bins are numbered -reach .. reach; bin b has the centre 2 tau b
  bool draws_range = false;
  Ratio eta;
  Ratio noise;             // Laplace's scale, or the Gaussian's variance, in steps, rounded up
  double noise_scale = 0;  // Laplace's scale or the Gaussian's standard deviation, in steps
  double noise_sd = 0;     // standard deviation of the noise, in steps

  [[nodiscard]] std::size_t bins() const { return static_cast<std::size_t>(2 * reach + 1); }
};

[[nodiscard]] AggregateMechanism mechanism_of(const AggregateSettings& settings);

}  // namespace sotto::apps::robin
