#include "apps/bandit/model/widths.h"

#include <algorithm>
#include <cmath>

#include "apps/prepare/data/contexts.h"

namespace sotto::apps::bandit {

RunBounds bounds_of(const BanditParameters& parameters) {
  // A row may be above its party's bound by norm_slack, and the joint bound above R by as much.
  constexpr double norm_excess = 1 + 3 * prepare::norm_slack;
  return RunBounds{static_cast<double>(parameters.steps + parameters.events_before),
                   static_cast<double>(parameters.features()), std::max(1.0, parameters.max_norm) * norm_excess};
}

InverseWidths inverse_widths(const RunBounds& bounds, unsigned fraction_bits, double needed, int most) {
  const double n = bounds.n();
  const double log_n = std::log2(n);
  InverseWidths w{};
  w.context = std::min({static_cast<int>(fraction_bits), widest, whole_bits((62 - log_n) / 2)});
  const int both = whole_bits(61 - log_n / 2);
  w.inverse = std::min(most, static_cast<int>(std::ceil((both + log_n) / 2)));
  while (w.inverse < most && std::ldexp(needed, -w.inverse) > 1) ++w.inverse;
  w.gram = std::min(both - w.inverse, 2 * w.context - 1);
  w.residual = 60 - w.inverse;
  w.rounding =
      bounds.features * (std::ldexp(n, -w.inverse) + std::ldexp(std::sqrt(n), -w.residual) + std::ldexp(1.0, -w.gram));
  return w;
}

unsigned comparison_bits(const RunBounds& bounds, double factor) {
  const double largest = factor * bounds.norm * std::sqrt(bounds.steps / 2) + 1;
  return compared_bits + 1 + static_cast<unsigned>(std::ceil(std::log2(largest)));
}

}  // namespace sotto::apps::bandit
