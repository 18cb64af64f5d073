#include "apps/bandit/model/privacy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {
namespace {

void check_epsilon(double epsilon) {
  if (!(epsilon >= 0 && epsilon <= 1)) {
    throw InputError("epsilon must be a number from 0 to 1, got " + std::to_string(epsilon));
  }
}

void check_delta(double delta) {
  if (!(delta >= 0 && delta < 1)) {
    throw InputError("delta must be a number from 0 to below 1, got " + std::to_string(delta));
  }
}

// The k-fold composition of eta-DP mechanisms, with q = 1 / (1 + e^eta):
//   delta_i = sum_{l < i} Bin(k, q)(l) (1 - e^{-2 (i - l) eta}).
// The theorem (privacy.h) has the factor e^{(k - l) eta} inside the bracket. Here the factor is outside, so that no
// term overflows and no terms cancel.
class HomogeneousComposition {
 public:
  HomogeneousComposition(double eta, double count) : eta_(eta), count_(count) {}

  [[nodiscard]] double delta(double i) const {
    if (i < 1) return 0;
    // The sum starts at the term with the largest probability below i, and adds terms on both sides until they cannot
    // change the sum.
    const double mode = std::floor((count_ + 1) / (1 + std::exp(eta_)));
    const double peak = std::min(i - 1, std::max(mode, 0.0));
    const double at_peak = std::exp(log_probability(peak));
    double sum = at_peak * weight(i, peak);
    sum += lower_tail(i, peak, at_peak, sum);
    sum += upper_tail(i, peak, at_peak, sum);
    return sum;
  }

 private:
  static constexpr double negligible = 1e-18;

  [[nodiscard]] double weight(double i, double l) const { return -std::expm1(-2 * (i - l) * eta_); }

  [[nodiscard]] double log_probability(double l) const {
    // This form of log q cannot overflow.
    const double log_q = -(std::max(eta_, 0.0) + std::log1p(std::exp(-std::abs(eta_))));
    return std::lgamma(count_ + 1) - std::lgamma(l + 1) - std::lgamma(count_ - l + 1) + l * log_q +
           (count_ - l) * (eta_ + log_q);
  }

  // The ratio of neighbouring terms falls with l, so the remaining terms are below a geometric series.
  [[nodiscard]] double lower_tail(double i, double peak, double at_peak, double so_far) const {
    double tail = 0;
    double p = at_peak;
    for (double l = peak; l > 0; --l) {
      const double ratio = l / (count_ - l + 1) * std::exp(eta_);
      p *= ratio;
      tail += p * weight(i, l - 1);
      if (ratio < 1 && p * ratio <= negligible * (1 - ratio) * (so_far + tail)) break;
    }
    return tail;
  }

  [[nodiscard]] double upper_tail(double i, double peak, double at_peak, double so_far) const {
    double tail = 0;
    double p = at_peak;
    for (double l = peak + 1; l < i; ++l) {
      const double ratio = (count_ - l + 1) / l * std::exp(-eta_);
      p *= ratio;
      tail += p * weight(i, l);
      if (ratio < 1 && p * ratio <= negligible * (1 - ratio) * (so_far + tail)) break;
    }
    return tail;
  }

  double eta_;
  double count_;
};

}  // namespace

EtaPerAction eta_per_action(std::size_t arms, double epsilon) {
  if (arms == 0) throw std::invalid_argument("eta_per_action: no arms");
  check_epsilon(epsilon);
  if (epsilon == 0) return {};
  const auto count = static_cast<double>(arms);
  EtaPerAction eta;
  eta.exact = std::log1p(count * (1 - epsilon) / epsilon);
  eta.paper = std::log(count) - std::log(epsilon);
  return eta;
}

double bits_per_action(std::size_t arms, double epsilon) {
  check_epsilon(epsilon);
  if (arms == 0) throw std::invalid_argument("there is no arm");
  const auto a = static_cast<double>(arms);
  const auto term = [](double p) { return p > 0 ? p * std::log2(p) : 0; };
  return std::max(0.0, std::log2(a) + term(1 - epsilon + epsilon / a) + (a - 1) * term(epsilon / a));
}

EtaComposed eta_composed(std::size_t arms, double epsilon, std::uint64_t steps, double delta) {
  check_delta(delta);
  const std::optional<double> exact = eta_per_action(arms, epsilon).exact;
  EtaComposed composed;
  composed.delta = delta;
  if (!exact) return composed;
  composed.basic = static_cast<double>(steps) * *exact;
  composed.optimal = optimal_composition(*exact, steps, delta);
  return composed;
}

double optimal_composition(double eta, std::uint64_t steps, double delta) {
  check_delta(delta);
  if (!(eta >= 0) || !std::isfinite(eta)) {
    throw std::invalid_argument("optimal_composition: eta must be finite and not negative");
  }
  if (eta == 0 || steps == 0) return 0;
  // For delta = 0 only i = 0 is allowed: delta_i is above 0 for every i > 0, even if a double rounds delta_i to 0.
  if (delta == 0) return static_cast<double>(steps) * eta;
  const HomogeneousComposition composition(eta, static_cast<double>(steps));
  // delta_i grows with i. The largest i with delta_i <= delta gives the smallest bound.
  std::uint64_t within = 0;
  std::uint64_t beyond = steps / 2 + 1;
  while (beyond - within > 1) {
    const std::uint64_t i = within + (beyond - within) / 2;
    (composition.delta(static_cast<double>(i)) <= delta ? within : beyond) = i;
  }
  return static_cast<double>(steps - 2 * within) * eta;
}

bool is_vacuous(double eta) { return eta > 10; }

Exploration exploration_of(double epsilon) {
  check_epsilon(epsilon);
  Exploration result;
  result.always = epsilon == 1;
  // The threshold is exact: the product is below 2^64, and its ceiling has at most 53 significant bits.
  if (!result.always) result.threshold = static_cast<std::uint64_t>(std::ceil(std::ldexp(epsilon, 64)));
  return result;
}

double used_epsilon(const Exploration& exploration) noexcept {
  return exploration.always ? 1.0 : std::ldexp(static_cast<double>(exploration.threshold), -64);
}

}  // namespace sotto::apps::bandit
