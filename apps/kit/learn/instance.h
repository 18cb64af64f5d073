// Synthetic linear bandits. At every step each arm has a context that is uniform on the unit sphere of R^d. Pulling the
// arm earns context . theta + noise, with theta uniform on the same sphere and normal noise. The noise of a step is the
// same for every arm.
//
// Contexts and noise are functions of (seed, user, step), so any number of policies can play the same instance, in any
// order and on several threads. All users share theta.
//
// The seed determines all values, so nothing here is secret. A dimension of 0, no arms, and a noise_sd that is negative
// or not finite cause InputError. A user of 2^24 or more, a step of 2^38 or more, and a span of the wrong size cause
// std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::apps {

struct LinearInstanceOptions {
  std::size_t dimension = 0;
  std::size_t arms = 0;
  double noise_sd = 0;  // of the reward
  std::uint64_t seed = 0;
};

class LinearInstance {
 public:
  explicit LinearInstance(const LinearInstanceOptions& options);

  [[nodiscard]] std::size_t dimension() const { return options_.dimension; }
  [[nodiscard]] std::size_t arms() const { return options_.arms; }
  [[nodiscard]] std::span<const double> theta() const { return theta_; }

  // arms x dimension, row-major.
  void contexts(std::uint64_t user, std::uint64_t step, std::span<double> out) const;
  [[nodiscard]] double noise(std::uint64_t user, std::uint64_t step) const;
  // Expected reward.
  [[nodiscard]] double mean(std::span<const double> context) const;

 private:
  LinearInstanceOptions options_;
  std::vector<double> theta_;
};

}  // namespace sotto::apps
