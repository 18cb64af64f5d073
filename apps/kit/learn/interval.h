// 95% confidence intervals for the means of repeated runs.
#pragma once

namespace sotto::apps {

// The .975 quantile of Student's t distribution, within .001. `freedom` is at least 1 and need not be whole.
[[nodiscard]] double t_quantile(double freedom);

// `sd` is the sample standard deviation; 0 for an exact value.
struct MeanOf {
  double mean = 0;
  double sd = 0;
  double count = 1;
};
// Half the width of the 95% interval of a.mean - b.mean, for independent values of normal distributions (Welch). If
// `count` is 1, `sd` must be 0.
[[nodiscard]] double half_width_of_difference(const MeanOf& a, const MeanOf& b);

}  // namespace sotto::apps
