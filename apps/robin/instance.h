// What the clients of a ROBIN run meet: at every step the contexts of all arms and what each arm earns.
//
// Simulated: contexts are uniform on the unit sphere for each client, step and arm, theta is uniform on it, rewards are
// context . theta + N(0, noise_sd^2). `diversity` s < 1 shrinks all features but the first one by s before a context is
// scaled to norm 1, so that the contexts of the best arms say less about theta. `margin` g > 0 draws steps anew whose
// best arm leads the second by less than g. Contexts are functions of (seed, client, step): nothing is stored, any
// client can be played anywhere.
//
// Logged: read from files (apps/robin/client_logs.h).
//
// Steps are handed out 8 at a time, side by side ("lanes"): steps 8 g .. 8 g + 7 for g = 0, 1, ..
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "apps/robin/settings.h"

namespace sotto::apps::robin {

inline constexpr std::size_t step_lanes = 8;

// 8 steps of one client: for each row 8 numbers, one a step.
struct StepGroup {
  const double* contexts = nullptr;  // arms x dimension rows
  const double* means = nullptr;     // arms rows: what an arm earns on average
  const double* noise = nullptr;     // noise_rows rows: an arm earns its mean and its noise
  std::size_t noise_rows = 1;        // 1: the same for all arms; or arms
};

// Reads one client after another; used from one thread.
class StepReader {
 public:
  virtual ~StepReader() = default;
  // The next group is the one of step `step`.
  virtual void seek(std::uint64_t client, std::uint64_t step) = 0;
  // Valid until the next call.
  [[nodiscard]] virtual StepGroup next() = 0;
};

class RobinInstance {
 public:
  virtual ~RobinInstance() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t arms() const = 0;
  [[nodiscard]] virtual std::unique_ptr<StepReader> reader() const = 0;
  // Where it is known; else empty.
  [[nodiscard]] virtual std::span<const double> theta() const = 0;
  // The least eigenvalue of E[x x'], x the context of the best arm, where it is known; else 0.
  [[nodiscard]] virtual double lambda_min() const = 0;
  // Features of a client in these steps that were beyond the bound, and were clipped.
  [[nodiscard]] virtual std::uint64_t features_clipped(std::uint64_t client, std::uint64_t first_step,
                                                       std::uint64_t steps) const = 0;
};

// InputError where the margin leaves less than one step in 100.
[[nodiscard]] std::shared_ptr<const RobinInstance> simulated_instance(const RobinSettings& settings);

// What lambda_min is taken for where nobody says and nothing is known: half of what contexts of norm 1 have that are
// spread evenly over all directions.
[[nodiscard]] double default_lambda_min(const RobinSettings& settings);

// checked(), with lambda_min from the instance where it is 0, and with the default where that does not know it.
// Dimension and arms must be the instance's.
[[nodiscard]] RobinSettings resolved(const RobinSettings& settings, const RobinInstance& instance);

}  // namespace sotto::apps::robin
