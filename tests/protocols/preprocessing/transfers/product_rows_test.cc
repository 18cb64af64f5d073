#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

enum class Held { by_0, by_1, by_both, constant };

struct Factors {
  std::size_t rows, columns;
  Held x, y;
  unsigned bits = 64;
};

constexpr unsigned k = 4;

Numbers factor_words(const Factors& f, std::uint64_t seed) {
  return shuffled(test_words(64, f.rows * f.columns, seed), 1);
}

Task<Masked> held(Party& party, Shape shape, Held by, Numbers words) {
  if (by == Held::constant) co_return Masked::constant(party, shape, 0, words);
  const NodeId owner = by == Held::by_1 ? 1 : 0;
  const Input input = input_of(party, owner, shape, 0, words);
  Masked value = co_await share_input(party, owner, input, "factor");
  if (by != Held::by_both) co_return value;
  co_return co_await mask(party, value.shares(party), "factor of both");
}

Task<Numbers> triangles(Party& party, Factors f) {
  const Shape shape{f.rows, f.columns};
  auto [x, y] =
      co_await when_all(held(party, shape, f.x, factor_words(f, 1)), held(party, shape, f.y, factor_words(f, 2)));
  const RowTriangles map(shape, shape);
  Numbers result = co_await opened(party, product(party, map, x, y, f.bits));
  for (std::uint64_t& word : result) word &= ones(f.bits);
  co_return result;
}

Numbers expected_triangles(const Factors& f) {
  const Numbers x = factor_words(f, 1);
  const Numbers y = factor_words(f, 2);
  Numbers result;
  for (std::size_t r = 0; r < f.rows; ++r) {
    for (std::size_t i = 0; i < f.columns; ++i) {
      for (std::size_t j = i; j < f.columns; ++j) {
        result.push_back(x[r * f.columns + i] * y[r * f.columns + j] & ones(f.bits));
      }
    }
  }
  return result;
}

std::array<std::uint64_t, 2> sent_for(const Factors& f) {
  CostWithoutDealer cost;
  EXPECT_EQ(run_without_dealer(
                RandomnessBy::ot, [&](Party& party) { return triangles(party, f); }, &cost),
            expected_triangles(f));
  return {cost.preprocessing.sent[0], cost.preprocessing.sent[1]};
}

constexpr std::array all_holders{Held::by_0, Held::by_1, Held::by_both, Held::constant};

std::vector<Factors> factors_of_all() {
  std::vector<Factors> all;
  for (const Held x : all_holders) {
    for (const Held y : all_holders) all.insert(all.end(), {{3, 5, x, y}, {2, 4, x, y, 17}});
  }
  return all;
}

TEST(ProductRows, AreRightWhoeverHoldsTheFactors) {
  const auto program = [](Party& party) -> Task<Numbers> {
    Numbers results;
    for (const Factors& f : factors_of_all()) {
      const Numbers result = co_await triangles(party, f);
      results.insert(results.end(), result.begin(), result.end());
    }
    co_return results;
  };
  Numbers expected;
  for (const Factors& f : factors_of_all()) {
    const Numbers result = expected_triangles(f);
    expected.insert(expected.end(), result.begin(), result.end());
  }
  EXPECT_EQ(run_without_dealer(RandomnessBy::ot, program), expected);
}

// If the pairs of factors need transfers in both directions, each party sends messages for all pairs. If the pairs need
// only one direction, each party sends messages for half of the pairs. A pair needs no transfers if one party has both
// its factors.
TEST(ProductRows, GoTheWaysThatBothHold) {
  const std::size_t rows = 40, columns = 8;
  const std::size_t pairs = rows * triangle(columns);
  const auto none = sent_for({rows, columns, Held::by_0, Held::by_0});
  EXPECT_EQ(sent_for({rows, columns, Held::by_both, Held::constant}), none);
  const auto beyond = [&](const std::array<std::uint64_t, 2>& sent, NodeId party) {
    return static_cast<double>(sent.at(party) - none.at(party));
  };
  const auto both = sent_for({rows, columns, Held::by_both, Held::by_both});
  const auto one_way = sent_for({rows, columns, Held::by_0, Held::by_1});
  const auto of_one = sent_for({rows, columns, Held::by_both, Held::by_1});
  const double choosers = rows * columns * 64 * 16.0 / k;
  const double headers = 200;
  for (const NodeId party : {NodeId{0}, NodeId{1}}) {
    EXPECT_NEAR(beyond(both, party), 260.0 * pairs + choosers, headers);
    EXPECT_NEAR(beyond(one_way, party), 260.0 * pairs / 2 + choosers / 2, headers);
    EXPECT_NEAR(beyond(of_one, party), 260.0 * pairs / 2 + choosers / 2, headers);
  }
}

TEST(ProductRows, AreShorterInShortRings) {
  const std::size_t rows = 40, columns = 8;
  const std::size_t pairs = rows * triangle(columns);
  const auto none = sent_for({rows, columns, Held::by_0, Held::by_0, 46});
  const auto both = sent_for({rows, columns, Held::by_both, Held::by_both, 46});
  const double expected = pairs * 46 * 47 / 16.0 + rows * columns * 46 * 16.0 / k;
  EXPECT_NEAR(static_cast<double>(both[0] - none[0]), expected, 200);
}

TEST(ProductRows, TakeMoreRoundsForMoreThanAMessage) {
  const std::size_t columns = 20;
  const std::size_t rows = ProductRows::reply_bytes_at_once / (260 * triangle(columns)) + 10;
  const auto rounds_for = [&](std::size_t some) {
    const Factors f{some, columns, Held::by_both, Held::by_both};
    CostWithoutDealer cost;
    EXPECT_EQ(run_without_dealer(
                  RandomnessBy::ot, [&](Party& party) { return triangles(party, f); }, &cost),
              expected_triangles(f));
    return cost.preprocessing.rounds;
  };
  EXPECT_EQ(rounds_for(rows), rounds_for(10) + 2);
}

TEST(ProductRows, EndWhereAPieceWasTakenForZero) {
  const auto program = [](Party& party) -> Task<Numbers> {
    const Shape shape{1, 64};
    const Numbers words(64, 1);
    auto [x, y] = co_await when_all(held(party, shape, Held::by_both, words), held(party, shape, Held::by_both, words));
    const Masked difference = (x - y).times(std::uint64_t{1} << 62);
    co_return co_await opened(party, elementwise(party, difference, y));
  };
  EXPECT_THROW(run_in(two(), RandomnessBy::ot, program), std::logic_error);
}

}  // namespace
}  // namespace sotto::protocols::testing
