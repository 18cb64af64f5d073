#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/library/form.h"
#include "sotto/functions.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/ranks.h"

namespace sotto {
namespace {

// Returns a number of bits that is enough for the difference of two entries and a rounding error.
unsigned difference_bits(const Secret& x) {
  detail::require_room(2 * x.bound(), x.bits(), "a comparison of entries");
  return static_cast<unsigned>(std::max(detail::word_bits(x), 0)) + 3;
}

detail::Origin ordered(const char* what, const Secret& x, std::size_t first, Shape shape) {
  return detail::Derivation(x.session(), what).from(x).by(first).operation(shape);
}

Task<MaskedIndex> ranks_of(Secret x) {
  const unsigned bits = difference_bits(x);
  const detail::Wanted wanted{.word_bits = detail::most_bits, .shift = 64 - bits};
  Masked values = co_await detail::ready(x, wanted);
  (void)ordered("ranks", x, 0, x.shape());
  co_return co_await protocols::masked_ranks(x.session().party(), std::move(values), bits);
}

Secret ones(const Secret& x) {
  return x.session().constant(
      Matrix::Ones(static_cast<Eigen::Index>(x.rows()), static_cast<Eigen::Index>(x.columns())));
}

void require_entries(const Secret& x) {
  if (x.shape().lanes() == 0) throw std::invalid_argument("rows without an entry");
}

// Returns a number of bits that is enough for an entry and a rounding error.
unsigned comparison_bits(const Secret& x) {
  detail::require_room(x.bound(), x.bits(), "a comparison");
  return static_cast<unsigned>(std::max(detail::word_bits(x), 0)) + 2;
}

// Returns the secret bit [x < 0].
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

Task<Secret> row_argmax(Secret x) {
  require_entries(x);
  if (x.columns() == 1) co_return ones(x);
  Session& session = x.session();
  const unsigned bits = difference_bits(x);
  const detail::Wanted wanted{.word_bits = detail::most_bits, .shift = 0};
  Masked scores = co_await detail::ready(x, wanted);
  const detail::Origin origin = ordered("argmax", x, 0, x.shape());
  const Exploration never;
  Samples samples = protocols::draw_samples(session.party(), x.rows(), x.columns(), never);
  const protocols::ScoreWidths widths{0, bits};
  protocols::AllowedArms any;
  Arith one_hot =
      co_await protocols::winners(session.party(), std::move(scores), std::move(any), std::move(samples), widths, 64);
  co_return detail::SecretAccess::make(session, std::move(one_hot), 1, origin);
}

Task<Secret> row_max(Secret x) {
  Secret place = co_await row_argmax(x);
  Secret largest = co_await detail::exact(row_dot(place, x));
  co_return largest.within(x.bound());
}

Task<Secret> row_min(Secret x) {
  Secret opposite = co_await row_max(-x);
  co_return -opposite;
}

Task<Secret> row_sort(Secret x) {
  const std::size_t all_of_them = x.columns();
  return row_top(std::move(x), all_of_them);
}

Task<Secret> row_top(Secret x, std::size_t k) {
  require_entries(x);
  if (k < 1 || k > x.columns())
    throw std::invalid_argument("as many of the largest entries as there are, and one at least");
  if (x.columns() == 1) co_return x;
  const MaskedIndex ranks = co_await ranks_of(x);
  std::vector<Task<Secret>> tasks;
  tasks.reserve(k);
  for (std::size_t rank = 0; rank < k; ++rank) {
    const detail::Origin origin = ordered("place of a rank", x, rank, x.shape());
    Arith one_hot = protocols::at_rank(x.session().party(), ranks, rank);
    Secret place = detail::SecretAccess::make(x.session(), std::move(one_hot), 1, origin);
    tasks.push_back(detail::exact(row_dot(place, x).within(x.bound())));
  }
  const std::vector<Secret> sorted = co_await all(std::move(tasks));
  co_return hstack(sorted);
}

Task<Secret> row_top_places(Secret x, std::size_t k) {
  require_entries(x);
  if (k < 1 || k > x.columns())
    throw std::invalid_argument("as many of the largest entries as there are, and one at least");
  if (x.columns() == 1) co_return ones(x);
  const MaskedIndex ranks = co_await ranks_of(x);
  const detail::Origin origin = ordered("places of the largest", x, k, x.shape());
  co_return detail::SecretAccess::make(x.session(), protocols::at_rank(x.session().party(), ranks, 0, k), 1, origin);
}

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
