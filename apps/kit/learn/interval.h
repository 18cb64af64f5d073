// 95% intervals of means of repeated runs.
#pragma once

namespace sotto::apps {

// The .975 quantile of Student's t distribution, within .001. `freedom` is at least 1 and need not be whole.
[[nodiscard]] double t_quantile(double freedom);

// A mean of `count` values with the sample standard deviation `sd`. An exact value has sd 0.
struct MeanOf {
  double mean = 0;
  double sd = 0;
  double count = 1;
};
// Half the width of the 95% interval of a.mean - b.mean, for independent values of normal distributions (Welch). A mean
// of one value must be exact.
[[nodiscard]] double half_width_of_difference(const MeanOf& a, const MeanOf& b);

}  // namespace sotto::apps
