// The environment of the clients of a ROBIN run: the contexts of all arms at every step, and the reward of each arm.
//
// Simulated: theta and the context of each client, step and arm are uniform on the unit sphere. The reward of an arm is
// context . theta + N(0, noise_sd^2). A `diversity` s < 1 multiplies all features except the first by s before the
// context is scaled to norm 1. With a `margin` g > 0, a step is drawn again if the mean of its best arm exceeds the
// mean of the second best by less than g. Contexts are functions of (seed, client, step), so nothing is stored and any
// process can play any client.
//
// Steps are read in groups: group g has the steps 8 g .. 8 g + 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "apps/robin/settings.h"

namespace sotto::apps::robin {

inline constexpr std::size_t step_lanes = 8;

// A row has 8 numbers, one for each step.
struct StepGroup {
  const double* contexts = nullptr;  // arms x dimension rows
  const double* means = nullptr;     // one row per arm
  const double* noise = nullptr;     // noise_rows rows: an arm's reward is its mean plus its noise
  std::size_t noise_rows = 1;        // 1 if all arms have the same noise, otherwise the number of arms
};

class StepReader {
 public:
  virtual ~StepReader() = default;
  virtual void seek(std::uint64_t client, std::uint64_t step) = 0;
  // The group stays valid until the next call.
  [[nodiscard]] virtual StepGroup next() = 0;
};

class RobinInstance {
 public:
  virtual ~RobinInstance() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t arms() const = 0;
  [[nodiscard]] virtual std::unique_ptr<StepReader> reader() const = 0;
  // Returns an empty span if theta is unknown.
  [[nodiscard]] virtual std::span<const double> theta() const = 0;
  // Returns the smallest eigenvalue of E[x x'], where x is the context of the best arm, or 0 if this number is unknown.
  [[nodiscard]] virtual double lambda_min() const = 0;
  [[nodiscard]] virtual std::uint64_t features_clipped(std::uint64_t client, std::uint64_t first_step,
                                                       std::uint64_t steps) const = 0;
};

// Throws InputError if less than one step in 100 satisfies the margin.
[[nodiscard]] std::shared_ptr<const RobinInstance> simulated_instance(const RobinSettings& settings);

// If contexts of norm min(1, bound) are spread evenly over all directions, their lambda_min is norm^2 / d. Returns half
// of this number.
[[nodiscard]] double default_lambda_min(const RobinSettings& settings);

// Returns the checked() settings. If lambda_min is 0, replaces it by the instance's lambda_min, or by
// default_lambda_min() if the instance does not know its own. Throws InputError if dimension or arms differ from the
// instance's.
[[nodiscard]] RobinSettings resolved(const RobinSettings& settings, const RobinInstance& instance);

}  // namespace sotto::apps::robin
