#include "apps/kit/learn/interval.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto::apps {
namespace {

// degrees of freedom 1 to 30
constexpr std::array<double, 30> quantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

}  // namespace

double t_quantile(double freedom) {
  const double whole = std::floor(freedom);
  if (whole > static_cast<double>(quantiles.size())) return 1.96 + 2.4 / whole;
  // Rounding the degrees of freedom down never makes an interval too narrow.
  return quantiles.at(static_cast<std::size_t>(std::max(whole, 1.)) - 1);
}

double half_width_of_difference(const MeanOf& a, const MeanOf& b) {
  const double square_a = a.sd * a.sd / a.count;
  const double square_b = b.sd * b.sd / b.count;
  const double square = square_a + square_b;
  if (square == 0) return 0;
  const auto part = [](double of, double count) { return of == 0 ? 0 : of * of / (count - 1); };
  return t_quantile(square * square / (part(square_a, a.count) + part(square_b, b.count))) * std::sqrt(square);
}

}  // namespace sotto::apps
