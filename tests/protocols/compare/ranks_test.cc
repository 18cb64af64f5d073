#include "sotto/protocol/compare/ranks.h"

#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class Ranks : public ForParties {};
SOTTO_FOR_PARTIES(Ranks);

// The bits of ranks first .. first + count - 1.
Task<Numbers> ranked(Party& party, Shape shape, Numbers values, unsigned bits, std::size_t first, std::size_t count) {
  Masked x = co_await masked(party, shape, 0, std::move(values));
  const MaskedIndex ranks = co_await masked_ranks(party, std::move(x), bits);
  co_return co_await opened(party, at_rank(party, ranks, first, count));
}

// How many of the row come before: larger ones, and equal ones to the left.
std::size_t rank_of(const Numbers& values, Shape shape, std::size_t row, std::size_t column) {
  std::size_t before = 0;
  const std::int64_t own = as_signed(values[row * shape.columns + column]);
  for (std::size_t c = 0; c < shape.columns; ++c) {
    const std::int64_t other = as_signed(values[row * shape.columns + c]);
    before += static_cast<std::size_t>(other > own || (other == own && c < column));
  }
  return before;
}

TEST_P(Ranks, AreThoseOfADescendingOrder) {
  constexpr unsigned bits = 20;
  const std::int64_t edge = (std::int64_t{1} << (bits - 2)) - 1;
  std::mt19937_64 random(GetParam());
  for (const std::size_t columns : {2, 3, 8, 9}) {
    const Shape shape{5, columns};
    Numbers values;
    for (std::size_t i = 0; i < shape.lanes(); ++i) {
      values.push_back(static_cast<std::uint64_t>(as_signed(random()) >> (64 - bits + 2)));
    }
    values[0] = static_cast<std::uint64_t>(-edge);
    values[1] = static_cast<std::uint64_t>(edge);
    for (std::size_t c = 0; c < columns; ++c) values[columns + c] = 7;  // all equal
    const std::size_t count = columns / 2;
    const auto program = [&](Party& party) { return ranked(party, shape, values, bits, 1, count); };
    const Numbers in = run_and_agree(GetParam(), 4, program);
    for (std::size_t i = 0; i < shape.lanes(); ++i) {
      const std::size_t rank = rank_of(values, shape, i / columns, i % columns);
      EXPECT_EQ(in[i], rank >= 1 && rank < 1 + count ? 1u : 0u) << columns << " columns, lane " << i;
    }
  }
}

TEST(RanksOf, RefuseWhatIsNoOrder) {
  const auto of = [](std::size_t columns, std::size_t first, std::size_t count) {
    return [=](Party& party) { return ranked(party, Shape{1, columns}, Numbers(columns, 0), 20, first, count); };
  };
  expect_refused(of(1, 0, 1));
  expect_refused(of(257, 0, 1));
  expect_refused(of(4, 4, 1));
  expect_refused(of(4, 0, 0));
  expect_refused(of(4, 2, 3));
}

}  // namespace
}  // namespace sotto::protocols::testing
