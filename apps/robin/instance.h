// The environment of the clients of a ROBIN run: the contexts of all arms at every step, and the reward of each arm.
//
// Simulated: contexts are uniform on the unit sphere for each client, step and arm, theta is uniform on the unit
// sphere, rewards are context . theta + N(0, noise_sd^2). A `diversity` s < 1 multiplies all features except the first
// one by s before a context is scaled to norm 1. The contexts of the best arms then say less about theta. With a
// `margin` g > 0, a step is drawn again if its best arm leads the second best by less than g. Contexts are functions of
// (seed, client, step): nothing is stored, and any client can be played anywhere.
//
// Logged: read from files (apps/robin/client_logs.h).
//
// The interface returns steps in groups of 8, next to each other ("lanes"): steps 8 g .. 8 g + 7 for g = 0, 1, ..
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "apps/robin/settings.h"

namespace sotto::apps::robin {

inline constexpr std::size_t step_lanes = 8;

// 8 steps of one client. A row has 8 numbers, one for each step.
struct StepGroup {
  const double* contexts = nullptr;  // arms x dimension rows
  const double* means = nullptr;     // arms rows: the average reward of each arm
  const double* noise = nullptr;     // noise_rows rows: an arm's reward is its mean plus its noise
  std::size_t noise_rows = 1;        // 1: the same noise for all arms; otherwise the number of arms
};

// Reads one client after another, in one thread.
class StepReader {
 public:
  virtual ~StepReader() = default;
  // After this call, next() returns the group with step `step`.
  virtual void seek(std::uint64_t client, std::uint64_t step) = 0;
  // Returns the next group. It stays valid until the next call.
  [[nodiscard]] virtual StepGroup next() = 0;
};

class RobinInstance {
 public:
  virtual ~RobinInstance() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t arms() const = 0;
  [[nodiscard]] virtual std::unique_ptr<StepReader> reader() const = 0;
  // The true theta; empty if it is unknown.
  [[nodiscard]] virtual std::span<const double> theta() const = 0;
  // The smallest eigenvalue of E[x x'], where x is the context of the best arm; 0 if it is unknown.
  [[nodiscard]] virtual double lambda_min() const = 0;
  // The number of features of a client in these steps that were above the bound and were clipped.
  [[nodiscard]] virtual std::uint64_t features_clipped(std::uint64_t client, std::uint64_t first_step,
                                                       std::uint64_t steps) const = 0;
};

// Makes a simulated instance. Throws InputError if the margin leaves less than one step in 100.
[[nodiscard]] std::shared_ptr<const RobinInstance> simulated_instance(const RobinSettings& settings);

// The value of lambda_min that is used if neither the user nor the instance gives one. It is half of the value for
// contexts of norm 1 that are spread evenly over all directions.
[[nodiscard]] double default_lambda_min(const RobinSettings& settings);

// Returns the checked() settings. A lambda_min of 0 is replaced by that of the instance, or by the default if the
// instance knows none. Dimension and number of arms must be those of the instance.
[[nodiscard]] RobinSettings resolved(const RobinSettings& settings, const RobinInstance& instance);

}  // namespace sotto::apps::robin
