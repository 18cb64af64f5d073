#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct Batches {
  std::uint64_t repetitions = 1;
  std::uint64_t count = 1;
};

// Divides `wanted` repetitions into up to 10 batches. If `wanted` repetitions would take longer than `seconds`, there
// are fewer repetitions, but at least 3. `trial_us` is the time of one repetition in microseconds.
[[nodiscard]] inline Batches plan_batches(std::uint64_t wanted, double trial_us, double seconds) {
  const double affordable = std::clamp(1e6 * seconds / std::max(trial_us, 1e-3), 0.0, 1e18);
  const std::uint64_t all = std::min(wanted, static_cast<std::uint64_t>(affordable));
  const std::uint64_t count = std::clamp<std::uint64_t>(all, 3, 10);
  return Batches{std::max<std::uint64_t>(1, all / count), count};
}

[[nodiscard]] inline double median(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples");
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2;
}

[[nodiscard]] inline double least(const std::vector<double>& samples) {
  if (samples.empty()) throw std::invalid_argument("the least of no samples");
  return *std::min_element(samples.begin(), samples.end());
}

class Targets {
 public:
  void add(const std::string& configuration, const char* what, double measured, double at_most) {
    table_.add({configuration, what, measured, at_most, measured <= at_most});
  }
  [[nodiscard]] FigureTable take() { return std::move(table_); }

 private:
  FigureTable table_{"targets", "Targets", "configuration; what; measured; at_most: at most; met"};
};

}  // namespace sotto::apps::lab
