// The parameters of one release, all of them public: the lattice, the bins, the exponential mechanism and the noise.
// aggregate() runs the mechanism; noise_sd() and misfire_chance() are computed from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/kit/dp/samplers.h"

namespace sotto::apps::robin {

// The settings of one private mean (aggregate.h).

inline constexpr double most_bins = 0x1p20;

enum class NoiseKind : std::uint8_t { laplace, gaussian };

struct AggregateSettings {
  std::size_t dimension = 1;
  double bound = 1;  // the largest Euclidean norm of an estimate
  double tau = 0;    // most estimates are within tau of their mean, in every rotated coordinate
  NoiseKind noise = NoiseKind::gaussian;
  ReleaseShare share;  // the share of this release: Budget::share()
  // Clip round this estimate (the last release) instead of drawing a private range.
  std::optional<std::vector<double>> around;
};

// The random rotation: signs, 1 or -1 each, uniform.
[[nodiscard]] std::vector<int> draw_signs(Coins& coins, std::size_t padded);
// values = H S values, exactly: the factor D^(-1/2) is in the lattice's step. The number of values must equal the
// number of signs and be a power of two (else std::invalid_argument); sums of absolute values must fit 63 bits.
void rotate(std::span<std::int64_t> values, std::span<const int> signs);
// values = (H S)^-1 values, in floating point: S H values / D.
void rotate_back(std::span<double> values, std::span<const int> signs);

// PrivateRange (Levy et al. 2021, algorithm 1) finds the bin that holds the middle of some numbers. The cost of a bin
// is max(numbers in bins below it, numbers in bins above it). Replacing one number changes only the costs between its
// two bins, each by 1 up or down. So probabilities proportional to exp(-eta cost) are 2 eta-DP and have a 2 eta-bounded
// range.
[[nodiscard]] std::vector<std::uint64_t> range_costs(std::span<const std::uint64_t> counts);
// An index with probability proportional to exp(-eta cost). There must be at least one cost, and the products of eta's
// numerator and differences of costs must fit a word.
[[nodiscard]] std::size_t exponential_mechanism(Coins& coins, std::span<const std::uint64_t> costs, Ratio eta);

// Whole numbers count in `step` for an estimate and in `rotated_step` for a rotated coordinate.
struct AggregateMechanism {
  std::size_t padded = 1;    // D
  std::int64_t tau = 0;      // in rotated steps, a power of two: rounding errors are far smaller than tau
  double step = 0;           // rotated_step sqrt(D): the rotation leaves out its factor D^(-1/2)
  double rotated_step = 0;   // the settings' tau / tau
  std::int64_t reach = 0;    // bins are numbered -reach .. reach; bin b has the centre 2 tau b
  bool draws_range = false;  // otherwise clipped round the centre of bin 0 or round an estimate
  Ratio eta;                 // of the exponential mechanism; rounded down
  Ratio noise;               // Laplace's scale, or the Gaussian's variance, in steps; rounded up
  double noise_scale = 0;    // Laplace's scale or the Gaussian's standard deviation, in steps
  double noise_sd = 0;       // in steps

  [[nodiscard]] std::size_t bins() const { return static_cast<std::size_t>(2 * reach + 1); }
};

// Throws InputError as described in aggregate.h.
[[nodiscard]] AggregateMechanism mechanism_of(const AggregateSettings& settings);

}  // namespace sotto::apps::robin
