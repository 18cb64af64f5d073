// Samples of one quantity.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace sotto::apps {

// The middle one, or the mean of the two in the middle. No sample: std::invalid_argument.
[[nodiscard]] inline double median(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples");
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2;
}

// The smallest. No sample: std::invalid_argument.
[[nodiscard]] inline double least(const std::vector<double>& samples) {
  if (samples.empty()) throw std::invalid_argument("the least of no samples");
  return *std::min_element(samples.begin(), samples.end());
}

}  // namespace sotto::apps
