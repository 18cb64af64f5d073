#include "sotto/apps/kit/files/rounded.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::apps {

double rounded_up(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return std::ceil(value / unit * (1 - 1e-9)) * unit;
}

std::string advised(double value) { return fmt::format("{:.4g}", rounded_up(value, 4)); }

}  // namespace sotto::apps
