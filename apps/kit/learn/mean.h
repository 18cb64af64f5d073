// Mean and standard deviation.
#pragma once

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sotto::apps {

struct MeanAndSd {
  double mean = 0;
  double sd = 0;  // sample standard deviation
};

// Throws std::invalid_argument if there are no numbers.
[[nodiscard]] inline MeanAndSd mean_and_sd(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("the mean of no numbers");
  const auto n = static_cast<double>(values.size());
  MeanAndSd result;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (const double value : values) result.sd += (value - result.mean) * (value - result.mean);
  result.sd = values.size() > 1 ? std::sqrt(result.sd / (n - 1)) : 0;
  return result;
}

}  // namespace sotto::apps
