// The environment of the clients of a ROBIN run: the contexts of all arms at every step, and the reward of each arm.
//
// Simulated: the context of each client, step and arm is uniform on the unit sphere, and so is theta. The reward of an
// arm is context . theta + N(0, noise_sd^2). A `diversity` s < 1 multiplies all features except the first one by s
// before a context is scaled to norm 1. With a `diversity` below 1, the contexts of the best arms say less about theta.
// With a `margin` g > 0, a step is drawn again if its best arm leads the second best by less than g. Contexts are
// functions of (seed, client, step): nothing is stored, and any process can play any client.
//
// Logged: contexts and rewards are read from files (apps/robin/client_logs.h).
//
// The interface returns steps in groups of 8 that are stored next to each other ("lanes"). Group g = 0, 1, .. has the
// steps 8 g .. 8 g + 7.
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

// Reads the steps of one client after another, in one thread.
class StepReader {
 public:
  virtual ~StepReader() = default;
  // After seek(), next() returns the group that contains step `step`.
  virtual void seek(std::uint64_t client, std::uint64_t step) = 0;
  // Returns the next group, which stays valid until the next call.
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
  // The number of feature vectors in these steps of a client that were longer than the bound and were scaled to the
  // bound.
  [[nodiscard]] virtual std::uint64_t features_clipped(std::uint64_t client, std::uint64_t first_step,
                                                       std::uint64_t steps) const = 0;
};

// Makes a simulated instance. Throws InputError if the margin leaves less than one step in 100.
[[nodiscard]] std::shared_ptr<const RobinInstance> simulated_instance(const RobinSettings& settings);

// The value of lambda_min that is used if neither the user nor the instance gives one. The default is half of the value
// for contexts of norm 1 that are spread evenly over all directions.
[[nodiscard]] double default_lambda_min(const RobinSettings& settings);

// Returns the checked() settings. A lambda_min of 0 is replaced by the instance's lambda_min if it is known, and by
// default_lambda_min() otherwise. The settings' dimension and number of arms must equal the instance's.
[[nodiscard]] RobinSettings resolved(const RobinSettings& settings, const RobinInstance& instance);

}  // namespace sotto::apps::robin
