// The parameters of one release, all of them public: the lattice, the bins, the exponential mechanism and the noise.
// aggregate() runs it; noise_sd() and misfire_chance() are
// computed from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/apps/kit/dp/samplers.h"
#include "sotto/apps/robin/aggregate/aggregate.h"

namespace sotto::apps {

// Whole numbers of an estimate count `step`, of a rotated coordinate `rotated_step`.
struct AggregateMechanism {
  std::size_t padded = 1;    // D
  std::int64_t tau = 0;      // in rotated steps, a power of two: rounding errs by far less than tau
  double step = 0;           // rotated_step sqrt(D): the rotation is without its factor D^(-1/2)
  double rotated_step = 0;   // the settings' tau / tau
  std::int64_t reach = 0;    // bins are numbered -reach .. reach; bin b has the centre 2 tau b
  bool draws_range = false;  // otherwise clipped round the centre of bin 0, or round an estimate
  Ratio eta;                 // of the exponential mechanism; rounded down
  Ratio noise;               // Laplace's scale, or the Gaussian's variance, in steps; rounded up
  double noise_scale = 0;    // Laplace's scale or the Gaussian's standard deviation, in steps
  double noise_sd = 0;       // in steps

  [[nodiscard]] std::size_t bins() const { return static_cast<std::size_t>(2 * reach + 1); }
};

// Throws InputError as aggregate.h states it.
[[nodiscard]] AggregateMechanism mechanism_of(const AggregateSettings& settings);

}  // namespace sotto::apps
