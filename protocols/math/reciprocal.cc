#include "sotto/protocol/math/reciprocal.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"

namespace sotto::protocols {
namespace {

std::uint64_t word(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

// (1 + constant) p + p e, at the scale of p e.
PendingProduct times_factor(Party& party, const Masked& p, const Masked& e, double constant) {
  const std::uint64_t one = word((1 + constant) * std::ldexp(1.0, static_cast<int>(e.scale())));
  return plus_multiple(party, pending_product<RowScale>(party, e, p), p, one, e.scale());
}

// The start, masked as a linear function of masked values: of d, and of its square.
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

}  // namespace

Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan) {
  const unsigned f = d.scale();
  const unsigned wide = f + plan.coefficient_bits;
  const unsigned narrow = std::min(wide, 64 - wide);  // their product needs carry terms of at most 64
  if (u.scale() < f) throw std::invalid_argument("a division of fewer bits than its divisor has");

  // 1. y0.
  const Masked y = co_await start(party, d, plan);

  // 2. e0 = 1 - d y0, p0 = u y0.
  const std::uint64_t one = std::uint64_t{1} << (f + wide);
  const PendingProduct dy = pending_product<Elementwise>(party, d, y);
  PendingProduct one_minus_dy = plus(party, -dy, one);
  PendingProduct uy = pending_product<RowScale>(party, y, u);
  auto [e, p] = co_await when_all(mask_trunc(party, std::move(one_minus_dy), narrow, "e0"),
                                  mask_trunc(party, std::move(uy), wide, "u y0"));

  // 3. A factor 1 + e_i a round, the next e_i beside it.
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

}  // namespace sotto::protocols
