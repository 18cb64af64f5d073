#include "sotto/protocol/compare/choose.h"

#include <numeric>

#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class Choose : public ForParties {};
SOTTO_FOR_PARTIES(Choose);

Task<Numbers> chosen(Party& party, Shape shape, Numbers scores, AllowedArms allowed, ArgmaxOptions options) {
  const auto choice = [&](Masked s) { return choose(party, std::move(s), std::move(allowed), options); };
  co_return co_await result_on_masked(party, shape, 40, std::move(scores), choice);
}

std::vector<std::size_t> arms_of(const Numbers& one_hots, Shape shape, const AllowedArms& allowed) {
  std::vector<std::size_t> arms;
  for (std::size_t e = 0; e < shape.rows; ++e) {
    const auto row = std::span(one_hots).subspan(e * shape.columns, shape.columns);
    EXPECT_EQ(std::count(row.begin(), row.end(), 1u), 1) << "event " << e;
    EXPECT_EQ(std::count(row.begin(), row.end(), 0u), static_cast<std::ptrdiff_t>(shape.columns) - 1) << "event " << e;
    arms.push_back(static_cast<std::size_t>(std::find(row.begin(), row.end(), 1u) - row.begin()));
    if (arms.back() == shape.columns) return {};
    EXPECT_TRUE(allowed.empty() || allowed[e * shape.columns + arms.back()] == 1) << "event " << e;
  }
  return arms;
}

struct Events {
  Events(std::size_t events, std::size_t arms, std::uint64_t seed) : shape{events, arms} {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < shape.lanes(); ++i) {
      scores.push_back(static_cast<std::uint64_t>((static_cast<std::int64_t>(random()) >> 36) * (1 << 20)));
      allowed.push_back(random() % 2);
    }
    for (std::size_t e = 0; e < events; ++e) allowed[e * arms + random() % arms] = 1;
  }
  [[nodiscard]] std::size_t best(std::size_t event) const {
    std::size_t best = shape.columns;
    for (std::size_t a = 0; a < shape.columns; ++a) {
      const std::size_t lane = event * shape.columns + a;
      if (allowed[lane] == 0) continue;
      if (best == shape.columns || as_signed(scores[lane]) > as_signed(scores[event * shape.columns + best])) best = a;
    }
    return best;
  }
  Shape shape;
  Numbers scores;
  AllowedArms allowed;
};

void expect_best(std::size_t parties, std::size_t events, std::size_t arms, std::uint64_t rounds) {
  const Events e(events, arms, 31 * arms + parties);
  const auto program = [&](Party& party) { return chosen(party, e.shape, e.scores, e.allowed, {20, 30, {}}); };
  const Numbers one_hots = run_and_agree(parties, rounds, program);
  const std::vector<std::size_t> arms_chosen = arms_of(one_hots, e.shape, e.allowed);
  ASSERT_EQ(arms_chosen.size(), events);
  for (std::size_t i = 0; i < events; ++i) EXPECT_EQ(arms_chosen[i], e.best(i)) << arms << " arms, event " << i;
}

TEST_P(Choose, TakesTheBestAllowedArmInTheSameRoundsForAnyNumber) {
  for (const std::size_t arms : {1u, 2u, 3u, 10u, 33u, 64u}) expect_best(GetParam(), 20, arms, 4);
}

TEST_P(Choose, TakesTheBestAllowedArmByTournament) {
  for (const std::size_t arms : {65u, 100u, 257u}) expect_best(GetParam(), 4, arms, 9);
}

std::vector<double> histogram(std::size_t parties, Shape shape, const AllowedArms& arms, Exploration exploration,
                              std::uint64_t high_arm) {
  Numbers scores;
  AllowedArms allowed;
  for (std::size_t e = 0; e < shape.rows; ++e) {
    for (std::size_t a = 0; a < shape.columns; ++a) scores.push_back(a == high_arm ? std::uint64_t{9} << 40 : 0);
    allowed.insert(allowed.end(), arms.begin(), arms.end());
  }
  SimulationOptions simulation;
  simulation.insecure_seed = 77;
  const auto program = [&](Party& party) {
    return chosen(party, shape, scores, allowed, ArgmaxOptions{20, 29, exploration});
  };
  const Numbers one_hots = simulate(Topology(parties), program, simulation).nodes[0];
  std::vector<double> counts(shape.columns);
  for (const std::size_t arm : arms_of(one_hots, shape, allowed)) counts[arm] += 1;
  return counts;
}

void expect_uniform(const std::vector<double>& counts, const AllowedArms& set) {
  double total = 0;
  for (std::size_t a = 0; a < set.size(); ++a) total += set[a] * counts[a];
  const double arms = static_cast<double>(std::count(set.begin(), set.end(), 1));
  double chi_square = 0;
  for (std::size_t a = 0; a < set.size(); ++a) {
    if (set[a] == 1) chi_square += std::pow(counts[a] - total / arms, 2) * arms / total;
  }
  // chi_square has the mean arms - 1 and the standard deviation sqrt(2 (arms - 1)).
  EXPECT_LT(chi_square, arms - 1 + 7 * std::sqrt(2 * arms) + 7);
}

TEST_P(Choose, ExploresUniformlyOverAnySetOfArmsStatistical) {
  std::mt19937_64 random(GetParam());
  const Exploration always{0, true};
  for (const std::size_t arms : {2u, 5u, 10u}) {
    AllowedArms set(arms);
    for (std::uint8_t& arm : set) arm = random() % 2;
    set[random() % arms] = 1;
    expect_uniform(histogram(GetParam(), Shape{600, arms}, set, always, 0), set);
  }
  AllowedArms set(70);
  for (const std::size_t arm : {1u, 4u, 40u, 63u, 64u, 69u}) set[arm] = 1;
  expect_uniform(histogram(GetParam(), Shape{180, 70}, set, always, 1), set);
}

TEST_P(Choose, ExploresWithProbabilityEpsilonAmongAllowedArms) {
  // With epsilon 1/2 and four of six arms allowed, the best allowed arm has probability 1/2 + 1/8, and each other
  // allowed arm has probability 1/8.
  const AllowedArms set{1, 0, 1, 1, 0, 1};
  const Exploration half{std::uint64_t{1} << 63, false};
  const std::vector<double> counts = histogram(GetParam(), Shape{1600, 6}, set, half, 2);
  EXPECT_NEAR(counts[2], 1000, 6 * 19.4);
  for (const std::size_t arm : {0u, 3u, 5u}) EXPECT_NEAR(counts[arm], 200, 6 * 13.2);
}

TEST_P(Choose, BreaksTiesUniformlyAmongAllowedArmsStatistical) {
  const AllowedArms set{0, 1, 1, 0, 1, 1, 1};
  expect_uniform(histogram(GetParam(), Shape{700, 7}, set, {}, 0), set);
  AllowedArms many(66, 1);
  many[65] = many[0] = 0;
  expect_uniform(histogram(GetParam(), Shape{320, 66}, many, {}, 0), many);
}

// The one-hots of the chosen arms, then a bit for each event.
Task<Numbers> noted(Party& party, Shape shape, Numbers scores, AllowedArms allowed, ArgmaxOptions options) {
  Masked s = co_await masked(party, shape, 40, std::move(scores));
  NotedChoice choice = co_await choose_and_note(party, std::move(s), std::move(allowed), options);
  auto [arms, bits] =
      co_await when_all(opened(party, std::move(choice.chosen)), opened(party, std::move(choice.is_best)));
  arms.insert(arms.end(), bits.begin(), bits.end());
  co_return arms;
}

TEST_P(Choose, NotesWhetherTheChosenArmIsTheBest) {
  const Exploration half{std::uint64_t{1} << 63, false};
  for (const std::size_t arms : {1u, 2u, 5u, 10u, 64u}) {
    const Events e(40, arms, 17 * arms + GetParam());
    const auto program = [&](Party& party) { return noted(party, e.shape, e.scores, e.allowed, {20, 30, half}); };
    const Numbers results = run_and_agree(GetParam(), 5, program);
    ASSERT_EQ(results.size(), e.shape.lanes() + e.shape.rows);
    const Numbers one_hots(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(e.shape.lanes()));
    const std::vector<std::size_t> chosen = arms_of(one_hots, e.shape, e.allowed);
    std::size_t best = 0;
    for (std::size_t i = 0; i < e.shape.rows; ++i) {
      const bool is_best = chosen.at(i) == e.best(i);
      EXPECT_EQ(results[e.shape.lanes() + i], is_best ? 1u : 0u) << arms << " arms, event " << i;
      best += is_best ? 1 : 0;
    }
    EXPECT_TRUE(arms < 5 || best < e.shape.rows) << "no event explored";
    EXPECT_GT(best, 0u);
  }
}

// If all scores are equal, the best arm is the one with the highest rank, and each bit is about this arm.
TEST_P(Choose, NotesTheBestOfEqualScoresByTheirRanks) {
  const Shape shape{600, 4};
  const auto program = [&](Party& party) {
    return noted(party, shape, Numbers(shape.lanes(), 0), AllowedArms(shape.lanes(), 1),
                 {20, 30, Exploration{0, true}});
  };
  SimulationOptions simulation;
  simulation.insecure_seed = 5;
  const Numbers results = simulate(Topology(GetParam()), program, simulation).nodes[0];
  const auto best = std::accumulate(results.end() - 600, results.end(), std::uint64_t{0});
  EXPECT_NEAR(static_cast<double>(best), 150, 6 * 10.6) << "a uniform arm is the best in a quarter of the events";
}

TEST(Chooses, RefusesToNoteTheBestOfMoreArmsThanAllPairs) {
  const Shape shape{1, 65};
  const auto program = [&](Party& party) {
    return noted(party, shape, Numbers(shape.lanes(), 0), {}, ArgmaxOptions{20, 29, {}});
  };
  EXPECT_THROW((void)simulate(Topology(2), program), std::invalid_argument);
}

TEST(Chooses, RefusesAnEventWithoutAnAllowedArm) {
  const Shape shape{2, 3};
  const auto run = [&](Shape s, AllowedArms allowed) {
    (void)simulate(Topology(2), [&](Party& party) {
      return chosen(party, s, Numbers(s.lanes(), 0), allowed, ArgmaxOptions{20, 29, {}});
    });
  };
  EXPECT_THROW(run(shape, {1, 1, 1, 0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(run(shape, {1, 1, 1}), std::invalid_argument);
  EXPECT_NO_THROW(run(shape, {1, 1, 1, 0, 0, 1}));
}

}  // namespace
}  // namespace sotto::protocols::testing
