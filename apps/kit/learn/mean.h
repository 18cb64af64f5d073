// The mean of some numbers and how far they lie apart.
#pragma once

#include <vector>

namespace sotto::apps {

struct MeanAndSd {
  double mean = 0;
  double sd = 0;  // sample standard deviation; 0 for one number
};

// No numbers at all are std::invalid_argument.
[[nodiscard]] MeanAndSd mean_and_sd(const std::vector<double>& values);

}  // namespace sotto::apps
