#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/library/derivation.h"
#include "apps/library/form.h"
#include "sotto/functions.h"
#include "sotto/protocol/compare/ranks.h"
#include "sotto/protocol/compare/winners.h"

namespace sotto {
namespace {

// k for differences of two entries, with room for a rounding.
unsigned difference_bits(const Secret& x) {
  detail::require_room(2 * x.bound(), x.bits(), "a comparison of entries");
  return static_cast<unsigned>(std::max(detail::word_bits(x), 0)) + 3;
}

// An operation whose result depends on the order of each row.
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

}  // namespace sotto
