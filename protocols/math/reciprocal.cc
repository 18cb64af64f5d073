#include "sotto/protocol/math/reciprocal.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"

namespace sotto::protocols {
namespace {

std::uint64_t word(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

PendingProduct times_factor(Party& party, const Masked& p, const Masked& e, double constant) {
  const std::uint64_t one = word((1 + constant) * std::ldexp(1.0, static_cast<int>(e.scale())));
  return plus_multiple(party, pending_product<RowScale>(party, e, p), p, one, e.scale());
}

// y0 is masked, because y0 is linear in d and d^2, which are masked.
Task<Masked> start(Party& party, Masked d, ReciprocalPlan plan) {
  const unsigned f = d.scale();
  const double middle = std::ldexp((plan.top + 1) / 2, static_cast<int>(f));
  const Masked t = d.plus(std::uint64_t{0} - word(middle));
  Masked y = t.times(static_cast<std::uint64_t>(plan.linear), plan.coefficient_bits)
                 .plus(static_cast<std::uint64_t>(plan.constant));
  if (plan.degree == 1) co_return y;
  PendingProduct squared = pending_product<Elementwise>(party, t, t);
  const Masked s = co_await mask_trunc(party, std::move(squared), f, "d squared");
  y += s.times(static_cast<std::uint64_t>(plan.square), plan.coefficient_bits);
  co_return y;
}

constexpr unsigned least_coefficient_bits = 8;
constexpr unsigned most_coefficient_bits = 12;
constexpr unsigned most_factors = 32;

// y0 on [1, q] as a polynomial in t = d - (q + 1) / 2.
struct Start {
  double q;
  double constant;
  double linear;
  double square;

  [[nodiscard]] double error_at(double d) const {
    const double t = d - (q + 1) / 2;
    return 1 - d * (constant + t * (linear + t * square));
  }
};

// The largest and the smallest 1 - d y0. Each is at an end of [1, q], or where the derivative, a quadratic in t, is 0.
struct Extremes {
  double least;
  double most;
};

Extremes error_extremes(const Start& y) {
  const double middle = (y.q + 1) / 2;
  double d[4] = {1, y.q, 1, 1};
  const double a = 3 * y.square;
  const double b = 2 * (y.linear + middle * y.square);
  const double c = y.constant + middle * y.linear;
  if (a == 0) {
    if (b != 0) d[2] = middle - c / b;
  } else if (const double root = b * b - 4 * a * c; root >= 0) {
    d[2] = middle + (-b + std::sqrt(root)) / (2 * a);
    d[3] = middle + (-b - std::sqrt(root)) / (2 * a);
  }
  Extremes extremes{y.error_at(1), y.error_at(1)};
  for (const double at : d) {
    const double error = y.error_at(std::clamp(at, 1.0, y.q));
    extremes.least = std::min(extremes.least, error);
    extremes.most = std::max(extremes.most, error);
  }
  return extremes;
}

double largest_error(const Start& y) {
  const Extremes extremes = error_extremes(y);
  return std::max(std::abs(extremes.least), std::abs(extremes.most));
}

// The y0 of degree n - 1 with the smallest error is the y0 with 1 - d y0 = T_n(x) / T_n(x0). Here T_n is the Chebyshev
// polynomial of degree n, x = 2 t / (1 - q), and x0 is x at d = 0.
Start best_start(double q, unsigned degree) {
  const double middle = (q + 1) / 2;
  const double half = std::max((q - 1) / 2, 1e-9);
  const double x0 = middle / half;
  if (degree == 1) {
    // y0 = (1 - (2 x^2 - 1) / T) / d with T = T_2(x0) and d = t + middle. This quotient is linear in t.
    const double factor = 2 / (half * half * (2 * x0 * x0 - 1));
    return Start{q, factor * middle, -factor, 0};
  }
  // y0 = (1 - (4 x^3 - 3 x) / T) / d with T = T_3(x0) and x = -t / half.
  const double top = 4 * x0 * x0 * x0 - 3 * x0;
  const double cubic = 4 / (half * half * half * top);
  const double square = cubic;
  const double linear = -cubic * middle;
  const double constant = cubic * middle * middle - 3 / (half * top);
  return Start{q, constant, linear, square};
}

// Rounds the best coefficients of t and t^2, and moves the constant so that the largest errors above and below 0 are
// equal.
std::optional<ReciprocalPlan> whole_start(double q, unsigned degree, unsigned bits, unsigned fraction_bits) {
  const Start best = best_start(q, degree);
  const double unit = std::ldexp(1.0, -static_cast<int>(bits));
  const double fine = std::ldexp(unit, -static_cast<int>(fraction_bits));
  std::optional<ReciprocalPlan> plan;
  for (int l = -2; l <= 2; ++l) {
    for (int s = -2; s <= 2; ++s) {
      if (degree == 1 && s != 0) continue;
      const auto linear = static_cast<std::int64_t>(std::llround(best.linear / unit)) + l;
      const auto square = static_cast<std::int64_t>(std::llround(best.square / unit)) + s;
      Start y{q, best.constant, static_cast<double>(linear) * unit, static_cast<double>(square) * unit};
      for (int i = 0; i < 40; ++i) {
        const Extremes extremes = error_extremes(y);
        y.constant += (extremes.least + extremes.most) / (q + 1);
      }
      const auto constant = static_cast<std::int64_t>(std::llround(y.constant / fine));
      y.constant = static_cast<double>(constant) * fine;
      const double error = largest_error(y);
      if (!plan || error < plan->first_error) {
        plan = ReciprocalPlan{q, degree, bits, constant, linear, square, 1, error};
      }
    }
  }
  return plan;
}

// True if the values of the last truncation and of the truncation of u y0 fit 62 bits. |u y0| is at most 2 sqrt(q).
bool has_room(double q, unsigned bits, unsigned fraction_bits, unsigned more_bits) {
  return 2 * fraction_bits + more_bits + bits + 1 + std::ceil(std::log2(std::sqrt(q))) <= 62;
}

}  // namespace

Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan) {
  const unsigned f = d.scale();
  const unsigned wide = f + plan.coefficient_bits;
  const unsigned narrow = std::min(wide, 64 - wide);  // the shifts of a product's carry terms add up to at most 64 bits
  if (u.scale() < f) throw std::invalid_argument("a division of fewer bits than its divisor has");

  const Masked y = co_await start(party, d, plan);

  const std::uint64_t one = std::uint64_t{1} << (f + wide);
  const PendingProduct dy = pending_product<Elementwise>(party, d, y);
  PendingProduct one_minus_dy = plus(party, -dy, one);
  PendingProduct uy = pending_product<RowScale>(party, y, u);
  auto [e, p] = co_await when_all(mask_trunc(party, std::move(one_minus_dy), narrow, "e0"),
                                  mask_trunc(party, std::move(uy), wide, "u y0"));

  for (unsigned factor = 1; factor < plan.factors; ++factor) {
    PendingProduct squared = pending_product<Elementwise>(party, e, e);
    const unsigned scale = e.scale();
    PendingProduct product = times_factor(party, p, e, 0);
    auto [next_e, next_p] = co_await when_all(mask_trunc(party, std::move(squared), scale, "e squared"),
                                              mask_trunc(party, std::move(product), scale, "p (1 + e)"));
    e = std::move(next_e);
    p = std::move(next_p);
  }
  const double half_square = plan.last_error() * plan.last_error() / 2;
  PendingProduct last = times_factor(party, p, e, half_square);
  co_return co_await mask_trunc(party, std::move(last), e.scale(), "u / d");
}

double ReciprocalPlan::last_error() const {
  return std::pow(first_error, std::ldexp(1.0, static_cast<int>(factors) - 1));
}

double ReciprocalPlan::residual() const {
  const double e = last_error();
  return e * e / 2 * (1 + e);
}

ReciprocalPlan plan_reciprocal(double q, double precision, unsigned fraction_bits, unsigned more_bits) {
  if (!(q >= 1 && q <= 65) || !(precision > 0 && precision < 1) || fraction_bits < 1 || fraction_bits > 24) {
    throw std::invalid_argument(
        "a reciprocal covers [1, q], 1 <= q <= 65, to a precision between 0 and 1, with 1 to 24 fraction bits");
  }
  std::optional<ReciprocalPlan> best;
  for (const unsigned degree : {2u, 1u}) {
    for (unsigned bits = least_coefficient_bits; bits <= most_coefficient_bits; ++bits) {
      if (!has_room(q, bits, fraction_bits, more_bits)) continue;
      auto plan = whole_start(q, degree, bits, fraction_bits);
      if (!plan || !(plan->first_error < 1)) continue;
      while (plan->residual() > precision && plan->factors < most_factors) ++plan->factors;
      if (plan->residual() > precision) continue;
      if (!best || plan->rounds() < best->rounds()) best = plan;
    }
  }
  if (!best) throw std::invalid_argument("no reciprocal of this range is so precise");
  return *best;
}

}  // namespace sotto::protocols
