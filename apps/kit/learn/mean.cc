#include "sotto/apps/kit/learn/mean.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sotto::apps {

MeanAndSd mean_and_sd(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("the mean of no numbers");
  const auto n = static_cast<double>(values.size());
  MeanAndSd result;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (const double value : values) result.sd += (value - result.mean) * (value - result.mean);
  result.sd = values.size() > 1 ? std::sqrt(result.sd / (n - 1)) : 0;
  return result;
}

}  // namespace sotto::apps
