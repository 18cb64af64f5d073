#include "protocols/math/reciprocal.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/async/when_all.h"
#include "protocols/arithmetic/mask_trunc.h"
#include "protocols/arithmetic/product.h"

namespace sotto::protocols {
namespace {

// e0 and p0 are cut at f + coefficient_bits, and their product needs two such cuts to add up to at
// most 64.
constexpr unsigned least_coefficient_bits = 8;
constexpr unsigned most_coefficient_bits = 12;
constexpr unsigned widest_first_cut = 32;

// d y0 = c d (q + 1 - d) is least at both ends of [1, q] and largest in the middle.
double largest_first_error(double q, double c) {
  return std::max(std::abs(1 - c * q), std::abs(1 - c * (q + 1) * (q + 1) / 4));
}

ReciprocalPlan plan_with(double q, double precision, unsigned bits) {
  const double unit = std::ldexp(1.0, -static_cast<int>(bits));
  const double best = 8 / (q * q + 6 * q + 1);
  const auto coefficient = static_cast<std::uint64_t>(std::max(1.0, std::round(best / unit)));
  ReciprocalPlan plan{q, coefficient, bits, 1,
                      largest_first_error(q, static_cast<double>(coefficient) * unit)};
  while (plan.residual() > precision && plan.factors < 32) ++plan.factors;
  return plan;
}

// 1 + e as a factor: p + p e, at the scale of p e.
Folded times_one_plus(Party& party, const Masked& p, const Masked& e) {
  const std::uint64_t one = std::uint64_t{1} << e.scale();
  return folded<RowScale>(party, e, p) + p.shares(party).times(one, e.scale());
}

}  // namespace

double ReciprocalPlan::residual() const {
  return std::pow(first_error, std::ldexp(1.0, static_cast<int>(factors)));
}

ReciprocalPlan plan_reciprocal(double q, double precision, unsigned fraction_bits) {
  if (!(q >= 1 && q <= 65) || !(precision > 0 && precision < 1) || fraction_bits < 1 ||
      fraction_bits > widest_first_cut - least_coefficient_bits) {
    throw std::invalid_argument(
        "a reciprocal covers [1, q], 1 <= q <= 65, to a precision between 0 and 1, with 1 to 24 "
        "fraction bits");
  }
  ReciprocalPlan best = plan_with(q, precision, least_coefficient_bits);
  for (unsigned bits = least_coefficient_bits + 1;
       bits <= most_coefficient_bits && bits + fraction_bits <= widest_first_cut; ++bits) {
    const ReciprocalPlan candidate = plan_with(q, precision, bits);
    const bool better = !(best.first_error < 1) || candidate.factors < best.factors;
    if (better) best = candidate;
  }
  return best;
}

Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan) {
  const unsigned f = d.scale();
  const unsigned wide = f + plan.coefficient_bits;
  require_same_scale(u.scale(), f, "division");

  // 1. y0 = c (q + 1 - d), e0 = 1 - d y0, p0 = u y0.
  const auto constant = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(plan.coefficient) * (plan.top + 1) *
                   std::ldexp(1.0, static_cast<int>(f))));
  const Masked y0 =
      d.times(std::uint64_t{0} - plan.coefficient, plan.coefficient_bits).plus(constant);
  const std::uint64_t one = std::uint64_t{1} << (f + wide);
  const Folded dy = folded<Elementwise>(party, d, y0);
  Folded one_minus_dy = plus(party, dy.times(~std::uint64_t{0}), one);
  Folded uy = folded<RowScale>(party, y0, u);
  auto [e, p] = co_await when_all(mask_trunc(party, std::move(one_minus_dy), wide, "e0"),
                                  mask_trunc(party, std::move(uy), wide, "u y0"));

  // 2. A factor 1 + e_i a round, the next e_i beside it.
  for (unsigned factor = 1; factor < plan.factors; ++factor) {
    Folded squared = folded<Elementwise>(party, e, e);
    Folded product = times_one_plus(party, p, e);
    auto [next_e, next_p] =
        co_await when_all(mask_trunc(party, std::move(squared), f, "e squared"),
                          mask_trunc(party, std::move(product), f, "p (1 + e)"));
    e = std::move(next_e);
    p = std::move(next_p);
  }
  Folded last = times_one_plus(party, p, e);
  co_return co_await mask_trunc(party, std::move(last), f, "u / d");
}

}  // namespace sotto::protocols
