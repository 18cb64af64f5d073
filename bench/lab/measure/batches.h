// How a measurement is cut into batches.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sotto::apps {

struct Batches {
  std::uint64_t repetitions = 1;  // in each
  std::uint64_t count = 1;
};

// `wanted` repetitions in up to 10 batches; fewer where they would take longer than `seconds`, after a trial that took
// `trial_us` microseconds a repetition, but 3 at least.
[[nodiscard]] inline Batches plan_batches(std::uint64_t wanted, double trial_us, double seconds) {
  const double affordable = std::clamp(1e6 * seconds / std::max(trial_us, 1e-3), 0.0, 1e18);
  const std::uint64_t all = std::min(wanted, static_cast<std::uint64_t>(affordable));
  const std::uint64_t count = std::clamp<std::uint64_t>(all, 3, 10);
  return Batches{std::max<std::uint64_t>(1, all / count), count};
}

}  // namespace sotto::apps
