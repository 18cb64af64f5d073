// The synthetic experiment of Malekzadeh et al. 2020: contexts uniform on [0, 1]^d and scaled to sum 1, a new one at
// each step of each user; arm a pays 1 with probability clip(x.W_a + noise N(0, 1), 0, 1), else 0, with the entries of
// W uniform on +-sqrt(6 / (d + A)), one W for all users.
//
// Everything follows from the seed: nothing is kept but W. All agents that meet a user's step meet the same context and
// the same reward of each arm there.
#pragma once

#include "apps/p2b/world.h"

namespace sotto::apps::lab {

struct SyntheticSettings {
  std::size_t users = 1428;
  std::size_t dimension = 10;  // d
  std::size_t arms = 10;       // A
  std::size_t steps = 10;      // T, of each user
  double noise = 0.01;         // standard deviation
};

class SyntheticWorld : public p2b::World {
 public:
  SyntheticWorld(const SyntheticSettings& settings, std::uint64_t seed);

  [[nodiscard]] std::size_t users() const override { return settings_.users; }
  [[nodiscard]] std::size_t dimension() const override { return settings_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return settings_.arms; }
  std::size_t meet(std::size_t user, std::vector<double>& contexts) const override;
  [[nodiscard]] double reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const override;
  [[nodiscard]] bool expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                      std::span<double> out) const override;

 private:
  [[nodiscard]] double mean(std::span<const double> context, std::size_t arm) const;

  SyntheticSettings settings_;
  std::uint64_t seed_;
  std::vector<double> weights_;  // A x d
};

}  // namespace sotto::apps::lab
