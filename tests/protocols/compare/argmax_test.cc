#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/compare/ranks.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class Compare : public ForParties {};
SOTTO_FOR_PARTIES(Compare);

TEST_P(Compare, AgreesWithIntegersOnEdgesAndAtRandom) {
  for (const unsigned k : {2u, 3u, 8u, 29u, 44u, 63u}) {
    const auto [x, y] = words_to_compare(k);
    const Numbers result =
        run_and_agree(GetParam(), 3, [&x = x, &y = y, k](Party& party) { return compared(party, x, y, k); });
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 1u : 0u)
          << "k " << k << ", difference " << as_signed(x[i] - y[i]);
    }
  }
}

TEST_P(Compare, OfThousandsOfLanes) {
  constexpr unsigned k = 32;
  std::mt19937_64 random(5);
  Numbers x, y;
  for (int i = 0; i < 3001; ++i) {
    y.push_back(random());
    x.push_back(y.back() + static_cast<std::uint64_t>(as_signed(random()) >> (33 + i % 31)));
  }
  const Numbers result = run_and_agree(GetParam(), 3, [&](Party& party) { return compared(party, x, y, k); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 1u : 0u) << "lane " << i;
  }
}

Task<Numbers> best(Party& party, Numbers scores, ArgmaxOptions options) {
  return result_on_masked(party, Shape{scores.size(), 1}, 40, scores,
                          [&party, options](Masked s) { return argmax(party, std::move(s), options); });
}

class Argmax : public ForParties {};
SOTTO_FOR_PARTIES(Argmax);

void expect_best(std::size_t parties, std::size_t arms, ArgmaxOptions options, std::uint64_t rounds,
                 std::mt19937_64& random) {
  Numbers scores;
  for (std::size_t a = 0; a < arms; ++a) {
    scores.push_back(static_cast<std::uint64_t>((static_cast<std::int64_t>(random()) >> 36) * (1 << 20)));
  }
  const Numbers one_hot = run_and_agree(parties, rounds, [&](Party& party) { return best(party, scores, options); });
  const auto largest =
      std::max_element(scores.begin(), scores.end(), [](auto a, auto b) { return as_signed(a) < as_signed(b); });
  for (std::size_t a = 0; a < arms; ++a) {
    EXPECT_EQ(one_hot[a], scores[a] == *largest ? 1u : 0u) << arms << " arms, arm " << a;
  }
}

TEST_P(Argmax, FindsTheLargestInTheSameRoundsForAnyNumberOfArms) {
  std::mt19937_64 random(11);
  for (const std::size_t arms : {1u, 2u, 3u, 10u, 33u, 64u}) {
    for (int trial = 0; trial < 4; ++trial) expect_best(GetParam(), arms, {20, 30, {}}, 4, random);
  }
}

TEST_P(Argmax, FindsTheLargestByTournament) {
  std::mt19937_64 random(12);
  for (const std::size_t arms : {65u, 100u, 257u}) expect_best(GetParam(), arms, {20, 29, {}}, 9, random);
}

std::vector<int> histogram(const Numbers& scores, ArgmaxOptions options, int trials, std::uint64_t seed) {
  std::vector<int> counts(scores.size());
  const auto program = [&](Party& party) { return best(party, scores, options); };
  for (int i = 0; i < trials; ++i) {
    SimulationOptions simulation;
    simulation.insecure_seed = seed + static_cast<std::uint64_t>(i);
    const Numbers one_hot = simulate(Topology(2), program, simulation).nodes[0];
    EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 1), 1);
    EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 0), static_cast<std::ptrdiff_t>(scores.size()) - 1);
    counts[static_cast<std::size_t>(std::find(one_hot.begin(), one_hot.end(), 1) - one_hot.begin())]++;
  }
  return counts;
}

TEST(ArgmaxTiesStatistical, AreBrokenUniformly) {
  // Arms 0, 2 and 4 tie. Each of the three arms should win 400 of 1200 rows, with a standard deviation of 16.3.
  const std::uint64_t high = std::uint64_t{5} << 40;
  const std::vector<int> counts = histogram({high, 0, high, 1, high}, ArgmaxOptions{20, 29, {}}, 1200, 100);
  EXPECT_EQ(counts[1] + counts[3], 0);
  for (const int arm : {0, 2, 4}) EXPECT_NEAR(counts[static_cast<std::size_t>(arm)], 400, 6 * 16.3);
}

TEST(ArgmaxTiesStatistical, AreBrokenUniformlyInATournament) {
  Numbers scores(70, 0);
  for (const std::size_t arm : {3u, 4u, 50u, 69u}) scores[arm] = std::uint64_t{1} << 40;
  const std::vector<int> counts = histogram(scores, ArgmaxOptions{20, 29, {}}, 600, 5000);
  int total = 0;
  for (const std::size_t arm : {3u, 4u, 50u, 69u}) {
    EXPECT_NEAR(counts[arm], 150, 6 * 10.6);
    total += counts[arm];
  }
  EXPECT_EQ(total, 600);
}

TEST(ArgmaxExploringStatistical, PullsEachArmAlikeWithProbabilityEpsilon) {
  // With epsilon 1/2 and four arms, the best arm has probability 1/2 + 1/8, and each other arm has probability 1/8.
  const ArgmaxOptions options{20, 29, Exploration{std::uint64_t{1} << 63, false}};
  const std::vector<int> counts = histogram({0, std::uint64_t{9} << 40, 0, 0}, options, 1600, 9000);
  EXPECT_NEAR(counts[1], 1000, 6 * 19.4);
  for (const int arm : {0, 2, 3}) EXPECT_NEAR(counts[static_cast<std::size_t>(arm)], 200, 6 * 13.2);
}

TEST(ArgmaxExploringStatistical, AlwaysExploresAtEpsilonOneAlsoInATournament) {
  Numbers scores(66, 0);
  scores[5] = std::uint64_t{9} << 40;
  const std::vector<int> counts = histogram(scores, ArgmaxOptions{20, 29, Exploration{0, true}}, 400, 20000);
  EXPECT_LT(counts[5], 30);
  EXPECT_GT(std::count_if(counts.begin(), counts.end(), [](int c) { return c > 0; }), 55);
}

class Ranks : public ForParties {};
SOTTO_FOR_PARTIES(Ranks);

Task<Numbers> ranked(Party& party, Shape shape, Numbers values, unsigned bits, std::size_t first, std::size_t count) {
  Masked x = co_await masked(party, shape, 0, std::move(values));
  const MaskedIndex ranks = co_await masked_ranks(party, std::move(x), bits);
  co_return co_await opened(party, at_rank(party, ranks, first, count));
}

// Counts the values of the row that rank before the value at `column`: larger values, and equal values to its left.
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
