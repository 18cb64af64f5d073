#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/library/derivation.h"
#include "apps/library/form.h"
#include "sotto/functions.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/below_zero.h"

namespace sotto {
namespace {

// k of a comparison with zero, with room for a rounding.
unsigned comparison_bits(const Secret& x) {
  detail::require_room(x.bound(), x.bits(), "a comparison");
  return static_cast<unsigned>(std::max(detail::word_bits(x), 0)) + 2;
}

// [x < 0].
Task<Secret> negative(Secret x) {
  const unsigned bits = comparison_bits(x);
  const detail::Wanted wanted{.word_bits = detail::most_bits, .shift = 64 - bits};
  const Masked value = co_await detail::ready(x, wanted);
  const detail::Origin origin = detail::Derivation(x.session(), "below zero").from(x).operation(x.shape());
  MaskedIndex index = MaskedIndex::bit_range(value, 0, bits);
  const protocols::ComparisonPlan plan = protocols::plan_comparison(bits, 64);
  Arith bit = co_await protocols::below_zero(x.session().party(), std::move(index), plan, 64, "compare");
  co_return detail::SecretAccess::make(x.session(), std::move(bit), 1, origin);
}

Task<Secret> same(Secret difference) {
  const unsigned bits = comparison_bits(difference);
  const detail::Wanted wanted{.word_bits = detail::most_bits, .shift = 64 - bits};
  const Masked value = co_await detail::ready(difference, wanted);
  Secret down = detail::SecretAccess::make(difference.session(), value, difference.bound(),
                                           detail::SecretAccess::origin(difference));
  auto [below, above] = co_await all(negative(down), negative(-down));
  const Secret either = below + above;
  co_return (1 - either).within(1);
}

Task<Secret> chosen(Secret bit, Secret x, Secret y, double bound) {
  const Secret difference = x - y;
  Secret result = co_await detail::exact(bit * difference + broadcast(y, difference.shape()));
  co_return result.within(bound);
}

Task<Secret> larger(Secret x, Secret y) {
  const double bound = std::max(x.bound(), y.bound());
  Secret bit = co_await less(x, y);
  co_return co_await chosen(std::move(bit), std::move(y), std::move(x), bound);
}

Task<Secret> size_of(Secret x) {
  Secret bit = co_await negative(x);
  const Secret sign = 1 - 2 * bit;
  Secret result = co_await detail::exact(sign.within(1) * x);
  co_return result.within(x.bound());
}

Task<Secret> clamped(Secret x, double least, double most) {
  auto [low, high] = co_await all(less(x, least), less(most, x));
  Product moved = low * (least - x) + high * (most - x) + x;
  Secret result = co_await detail::exact(std::move(moved));
  co_return result.within(std::min(x.bound(), std::max(std::abs(least), std::abs(most))));
}

}  // namespace

Task<Secret> less(Secret x, Secret y) { return negative(x - y); }
Task<Secret> less(Secret x, double y) { return negative(x - y); }
Task<Secret> less(double x, Secret y) { return negative(x - y); }
Task<Secret> equal(Secret x, Secret y) { return same(x - y); }

Task<Secret> select(Secret bit, Secret x, Secret y) {
  const double bound = std::max(x.bound(), y.bound());
  return chosen(std::move(bit), std::move(x), std::move(y), bound);
}

Task<Secret> max(Secret x, Secret y) { return larger(std::move(x), std::move(y)); }

Task<Secret> min(Secret x, Secret y) {
  const double bound = std::max(x.bound(), y.bound());
  Secret larger_opposite = co_await larger(-x, -y);
  co_return (-larger_opposite).within(bound);
}

Task<Secret> abs(Secret x) { return size_of(std::move(x)); }

Task<Secret> clamp(Secret x, double least, double most) {
  if (!(least <= most)) throw std::invalid_argument("a range from a larger number to a smaller one");
  return clamped(std::move(x), least, most);
}

}  // namespace sotto
