#include "sotto/apps/kit/dp/accountant.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sotto::apps {
namespace {

constexpr int halvings = 200;                   // a double has fewer bits than that
constexpr double to_the_safe_side = 1 - 1e-12;  // beyond the rounding of what is computed here

void check_cost(double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a privacy cost must be finite and at least 0");
  }
}

void check_delta(double delta) {
  if (!(delta > 0 && delta < 1)) throw std::invalid_argument("delta must be between 0 and 1");
}

void check_count(std::uint64_t count) {
  if (count == 0) throw std::invalid_argument("composition of no mechanism");
}

// The point where `too_large` turns from false to true, from below. Doubles the upper end first.
template <class Predicate>
double largest(Predicate too_large, double upper) {
  while (!too_large(upper)) upper *= 2;
  double low = 0;
  for (int i = 0; i < halvings && low < upper; ++i) {
    const double middle = low + (upper - low) / 2;
    if (middle == low || middle == upper) break;
    (too_large(middle) ? upper : low) = middle;
  }
  return low;
}

// log of the bound on delta at alpha = 1 + a.
double log_bound(double rho, double epsilon, double a) {
  const double alpha = 1 + a;
  return a * (alpha * rho - epsilon) - alpha * std::log1p(1 / a) - std::log(a);
}

// The bound is convex in alpha; its derivative is (2 alpha - 1) rho - epsilon + log(1 - 1/alpha), which rises from
// minus infinity.
double log_delta_of(double rho, double epsilon) {
  const double a =
      largest([&](double tried) { return (1 + 2 * tried) * rho - epsilon - std::log1p(1 / tried) > 0; }, 1);
  return std::min(0.0, log_bound(rho, epsilon, std::max(a, 1e-300)));
}

}  // namespace

double delta_of(double rho, double epsilon) {
  check_cost(rho);
  check_cost(epsilon);
  if (rho == 0) return 0;
  return std::exp(log_delta_of(rho, epsilon));
}

double epsilon_of(double rho, double delta) {
  check_cost(rho);
  check_delta(delta);
  if (rho == 0) return 0;
  const double log_delta = std::log(delta);
  const double below = largest([&](double epsilon) { return log_delta_of(rho, epsilon) <= log_delta; }, 1);
  return below / to_the_safe_side;
}

double rho_of(double epsilon, double delta) {
  check_cost(epsilon);
  check_delta(delta);
  if (epsilon == 0) return 0;
  const double log_delta = std::log(delta);
  return largest([&](double rho) { return log_delta_of(rho, epsilon) > log_delta; }, 1) * to_the_safe_side;
}

double advanced_composition(double epsilon, std::uint64_t count, double delta) {
  check_cost(epsilon);
  check_delta(delta);
  check_count(count);
  const auto k = static_cast<double>(count);
  return std::sqrt(2 * k * -std::log(delta)) * epsilon + k * epsilon * std::expm1(epsilon);
}

double advanced_share(double total, std::uint64_t count, double delta) {
  check_cost(total);
  if (total == 0) return 0;
  return largest([&](double epsilon) { return advanced_composition(epsilon, count, delta) > total; }, 1) *
         to_the_safe_side;
}

}  // namespace sotto::apps
