#include "sotto/apps/bandit/private_bandit.h"

#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/plaintext.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/apps/bandit/step/step_plan.h"
#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/arithmetic/bilinear.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/apps/bandit/ridge.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

using protocols::triangle;

// Contexts of norm `norm`, and an environment that pays by a hidden linear rule or by the nearest of some centres.
struct World {
  std::size_t features;
  std::size_t arms;
  bool binary;
  std::vector<std::vector<double>> contexts;
  std::vector<std::vector<double>> rewards;  // [row][arm]
};

World make_world(std::size_t rows, std::size_t features, std::size_t arms, bool binary, double norm, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> centres;
  for (std::size_t a = 0; a < arms; ++a) centres.push_back(unit_vector(random, features));
  World world{features, arms, binary, {}, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> x = unit_vector(random, features, norm);
    std::vector<double> scores;
    for (const auto& c : centres) {
      const double dot = std::inner_product(c.begin(), c.end(), x.begin(), 0.0) / norm;
      scores.push_back(std::clamp(dot + .1 * normal(random), -1.0, 1.0));
    }
    if (binary) {
      const double best = *std::max_element(scores.begin(), scores.end());
      for (double& s : scores) s = s == best ? 1 : 0;
    }
    world.contexts.push_back(x);
    world.rewards.push_back(scores);
  }
  return world;
}

// All roles of one run share what was pulled and paid, which only a test may.
class WorldSite final : public QuietSite {
 public:
  struct Record {
    std::vector<std::size_t> arms;
    std::vector<double> rewards;
  };
  WorldSite(const World& world, const BanditPlan& plan, Record& record)
      : world_(world), plan_(plan), record_(record), rounding_(5) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    std::size_t first = 0;
    for (std::size_t p = 0; p < party; ++p) first += plan_.parameters.columns[p];
    const auto& row = world_.contexts[step % world_.contexts.size()];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = encode(row[first + i], plan_.context_bits);
  }
  void pull(std::uint64_t step, std::size_t arm) override {
    EXPECT_EQ(record_.arms.size(), step);
    record_.arms.push_back(arm);
  }
  std::uint64_t reward(std::uint64_t step) override {
    const double r = world_.rewards[step % world_.rewards.size()].at(record_.arms.at(step));
    const std::uint64_t word =
        encode_unbiased(r, plan_.reward_bits, std::uniform_real_distribution<double>(0, 1)(rounding_));
    record_.rewards.push_back(decode(word, plan_.reward_bits));
    return word;
  }

 private:
  const World& world_;
  const BanditPlan& plan_;
  Record& record_;
  std::mt19937_64 rounding_;
};

struct Outcome {
  WorldSite::Record record;
  protocols::Simulation<BanditModel> run;
  Ledger planned;
  BanditPlan plan;
};

BanditParameters parameters_for(const World& world, std::vector<std::size_t> columns, std::uint64_t steps) {
  return BanditParameters{.columns = std::move(columns),
                          .arms = world.arms,
                          .steps = steps,
                          .binary_rewards = world.binary,
                          .reveal_model = true};
}

Outcome play(const World& world, BanditParameters parameters) {
  const BanditPlan plan = plan_bandit(std::move(parameters));
  WorldSite::Record record;
  WorldSite site(world, plan, record);
  const auto program = [&](Party& party) { return private_bandit(party, plan, site); };
  auto run = protocols::simulate(plan.parameters.topology(), program);
  Ledger planned = protocols::plan(plan.parameters.topology(), program);
  return Outcome{std::move(record), std::move(run), std::move(planned), plan};
}

std::vector<double> decoded(const Public& value) {
  std::vector<double> numbers;
  value.if_known([&](const Words& words) {
    for (const std::uint64_t word : words) numbers.push_back(decode(word, value.scale()));
  });
  return numbers;
}

// The twin is fed with the private run's arms and rewards; the bounds are of differences of weights and of inverse
// matrices.
void expect_like_twin(const World& world, const Outcome& outcome, double weights, double inverses) {
  PlaintextBandit twin(world.arms, world.features, 0, 1);
  for (std::size_t t = 0; t < outcome.record.arms.size(); ++t) {
    twin.update(world.contexts[t % world.contexts.size()], outcome.record.arms[t], outcome.record.rewards[t]);
  }
  const std::vector<double> w = decoded(outcome.run.nodes[0].weights);
  const std::vector<double> W = decoded(outcome.run.nodes[0].inverse_triangles);
  const std::size_t d = world.features;
  EXPECT_EQ(w.size(), world.arms * d);
  EXPECT_EQ(W.size(), world.arms * triangle(d));
  double worst_w = 0;
  double worst_W = 0;
  for (std::size_t a = 0; a < world.arms; ++a) {
    std::size_t entry = a * triangle(d);
    for (std::size_t i = 0; i < d; ++i) {
      worst_w = std::max(worst_w, std::abs(w[a * d + i] - twin.weights(a)[i]));
      for (std::size_t j = i; j < d; ++j) {
        worst_W = std::max(worst_W, std::abs(W[entry++] - twin.inverse_matrix(a)[i * d + j]));
      }
    }
  }
  EXPECT_LT(worst_w, weights);
  EXPECT_LT(worst_W, inverses);
}

void expect_measured_as_planned(const Outcome& outcome) {
  EXPECT_EQ(outcome.run.rounds, outcome.planned.total().rounds);
  EXPECT_EQ(outcome.run.sent, outcome.planned.total().sent);
  EXPECT_EQ(outcome.run.dealt, outcome.planned.total().dealt);
}

TEST(PrivateBandit, LearnsWhatItsTwinLearnsFromBinaryRewards) {
  const World world = make_world(400, 8, 4, true, 1, 1);
  BanditParameters p = parameters_for(world, {3, 5}, 600);
  p.exploration.threshold = std::uint64_t{1} << 61;
  const Outcome outcome = play(world, p);
  expect_like_twin(world, outcome, 2e-3, 1e-3);
  expect_measured_as_planned(outcome);
}

TEST(PrivateBandit, LearnsWhatItsTwinLearnsFromRealRewards) {
  for (const std::size_t parties : {2u, 3u, 5u}) {
    const World world = make_world(300, 10, 3, false, 1, 2);
    BanditParameters p = parameters_for(world, even_columns(parties, 10), 300);
    p.exploration.threshold = std::uint64_t{1} << 60;
    const Outcome outcome = play(world, p);
    EXPECT_EQ(outcome.plan.reward_bits, 16u);
    expect_like_twin(world, outcome, 2e-3, 1e-3);
    expect_measured_as_planned(outcome);
  }
}

TEST(PrivateBandit, PullsTheArmThatItsTwinWouldPull) {
  // Greedy play without ties: the private arm may differ from the twin's only where two scores are within rounding.
  const World world = make_world(500, 6, 3, false, 1, 3);
  const Outcome outcome = play(world, parameters_for(world, {3, 3}, 500));
  PlaintextBandit twin(world.arms, world.features, 0, 1);
  std::size_t differ = 0;
  for (std::size_t t = 0; t < 500; ++t) {
    const auto scores = twin.scores(world.contexts[t]);
    const double best = *std::max_element(scores.begin(), scores.end());
    if (scores[outcome.record.arms[t]] < best - 1e-4) ++differ;
    twin.update(world.contexts[t], outcome.record.arms[t], outcome.record.rewards[t]);
  }
  EXPECT_EQ(differ, 0u);
}

TEST(PrivateBandit, TakesSixRoundsForAnyNumberOfPartiesAndArms) {
  for (const std::size_t parties : {2u, 3u, 5u, 8u}) {
    for (const std::size_t arms : {2u, 10u, 64u}) {
      const World world = make_world(4, 16, arms, true, 1, 4);
      BanditParameters p = parameters_for(world, even_columns(parties, 16), 3);
      p.separate_rewarder = arms == 10;
      const Outcome outcome = play(world, p);
      EXPECT_EQ(outcome.plan.step->rounds(p), 6u);
      EXPECT_EQ(outcome.run.ledger.of(step_phase).rounds, 1 + 3u * 6) << parties << " parties, " << arms << " arms";
      expect_measured_as_planned(outcome);
      for (std::size_t node = parties; node < outcome.run.nodes.size(); ++node) {
        EXPECT_TRUE(decoded(outcome.run.nodes[node].weights).empty()) << "a node that does not compute saw the model";
      }
    }
  }
}

// Each step shares the context of the next; where it comes only then, a step has a round for it.
TEST(PrivateBandit, TakesARoundMoreForContextsThatComeOnlyNow) {
  for (const std::size_t arms : {3u, 70u}) {
    const World world = make_world(40, 6, arms, true, 1, 4);
    BanditParameters p = parameters_for(world, {2, 4}, 40);
    p.contexts_ahead = false;
    const Outcome outcome = play(world, p);
    const std::uint64_t rounds = arms == 3 ? 7 : 12;
    EXPECT_EQ(outcome.plan.step->rounds(p), rounds);
    EXPECT_EQ(outcome.run.ledger.of(step_phase).rounds, 40 * rounds);
    expect_like_twin(world, outcome, 1e-2, 1e-2);
    expect_measured_as_planned(outcome);
  }
}

// The arm is out after four rounds of a step, five where the context comes only then: the frames to the actor.
TEST(PrivateBandit, HasTheArmOutAfterFourRounds) {
  for (const bool ahead : {true, false}) {
    const World world = make_world(4, 4, 3, true, 1, 4);
    BanditParameters p = parameters_for(world, {2, 2}, 4);
    p.contexts_ahead = ahead;
    p.reveal_model = false;
    const BanditPlan plan = plan_bandit(p);
    WorldSite::Record record;
    WorldSite site(world, plan, record);
    std::set<std::uint64_t> rounds;
    protocols::SimulationOptions options;
    options.tap = [&](NodeId, NodeId to, std::uint64_t round, const Bytes&) {
      if (to == actor_of(p.topology())) rounds.insert(round);
    };
    (void)protocols::simulate(
        p.topology(), [&](Party& party) { return private_bandit(party, plan, site); }, std::move(options));
    const unsigned to_arm = StepPlan::rounds_to_arm(p);
    EXPECT_EQ(to_arm, ahead ? 4u : 5u);
    std::set<std::uint64_t> expected;
    for (std::uint64_t step = 0; step < 4; ++step) {
      expected.insert((ahead ? 1 : 0) + step * plan.step->rounds(p) + to_arm - 1);
    }
    EXPECT_EQ(rounds, expected);
  }
}

// Every refresh_every steps, and it changes what is learned by rounding alone.
TEST(PrivateBandit, IsRefreshedBetweenSteps) {
  for (const std::size_t parties : {2u, 3u}) {
    const World world = make_world(300, 8, 3, false, 1, 2);
    BanditParameters p = parameters_for(world, even_columns(parties, 8), 600);
    p.exploration.threshold = std::uint64_t{1} << 62;
    const Outcome outcome = play(world, p);
    EXPECT_EQ(outcome.plan.step->refresh_every, 256u);
    EXPECT_EQ(outcome.run.ledger.of(refresh_phase).rounds, 2 * StepPlan::refresh_rounds);
    EXPECT_EQ(outcome.run.rounds, 600u * 6 + 1 + 2 * StepPlan::refresh_rounds + 1);
    expect_like_twin(world, outcome, 5e-3, 1e-3);
    expect_measured_as_planned(outcome);
  }
}

// Rows may be longer than the norm by rounding.
TEST(PrivateBandit, TakesARoundMoreForEachRoundOfTheDivision) {
  const double longer = (1 + norm_slack) * (1 + norm_slack);
  for (const auto& [norm, slack] :
       {std::pair{1.0, 1.0}, {1.5, 1.0}, {4.0, 1.0}, {8.0, 1.0}, {1.0, longer}, {8.0, longer}}) {
    const World world = make_world(60, 6, 3, false, norm * slack, 5);
    BanditParameters p = parameters_for(world, {2, 4}, 120);
    p.max_norm = norm;
    const Outcome outcome = play(world, p);
    EXPECT_EQ(outcome.run.ledger.of(step_phase).rounds, 1 + 120 * (4 + outcome.plan.step->division.rounds())) << norm;
    expect_like_twin(world, outcome, 5e-2, 1e-3);
    expect_measured_as_planned(outcome);
  }
}

TEST(PrivateBandit, WithOneArmIsRidgeRegression) {
  const World world = make_world(2000, 12, 1, false, 1, 6);
  const Outcome outcome = play(world, parameters_for(world, {6, 6}, 2000));
  RidgeSums sums(12);
  for (std::size_t t = 0; t < 2000; ++t) sums.add(world.contexts[t], outcome.record.rewards[t]);
  const Eigen::VectorXd ridge = sums.weights();
  const std::vector<double> w = decoded(outcome.run.nodes[0].weights);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(w[static_cast<std::size_t>(i)], ridge(i), 2e-3);
}

TEST(PrivateBandit, ExploresUniformlyAtEpsilonOne) {
  const World world = make_world(100, 4, 5, true, 1, 7);
  BanditParameters p = parameters_for(world, {2, 2}, 2000);
  p.exploration.always = true;
  const Outcome outcome = play(world, p);
  std::vector<int> counts(5);
  for (const std::size_t arm : outcome.record.arms) counts.at(arm)++;
  for (const int count : counts) EXPECT_NEAR(count, 400, 6 * 17.9);
}

TEST(PrivateBandit, BreaksTheFirstTieUniformly) {
  // Before any reward all scores are zero: the first arm is uniform over the arms.
  const World world = make_world(1, 4, 4, true, 1, 8);
  std::vector<int> counts(4);
  for (int i = 0; i < 800; ++i) counts.at(play(world, parameters_for(world, {2, 2}, 1)).record.arms.at(0))++;
  for (const int count : counts) EXPECT_NEAR(count, 200, 6 * 12.2);
}

TEST(PrivateBandit, KeepsArmsThatWereNotPulledExactly) {
  World world = make_world(50, 4, 2, true, 1, 9);
  for (auto& row : world.rewards) row = {1, 0};
  const Outcome outcome = play(world, parameters_for(world, {2, 2}, 200));
  const std::vector<double> W = decoded(outcome.run.nodes[0].inverse_triangles);
  for (std::size_t arm = 0; arm < 2; ++arm) {
    if (std::count(outcome.record.arms.begin(), outcome.record.arms.end(), arm) != 0) continue;
    std::size_t entry = arm * triangle(4);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i; j < 4; ++j) EXPECT_EQ(W[entry++], i == j ? 1.0 : 0.0);
    }
  }
}

BanditParameters small_parameters() { return BanditParameters{.columns = {2, 2}, .arms = 3, .steps = 1000}; }

TEST(PrivateBandit, AlwaysHasAWinnerAtTheEdgeOfItsRanges) {
  // All contexts in one direction, one arm that always pays, features of few bits.
  for (const double norm : {1.0, 4.0}) {
    World world = make_world(1, 4, 5, true, norm, 10);
    world.rewards[0] = {1, 0, 0, 0, 0};
    BanditParameters p = parameters_for(world, {2, 2}, 2000);
    p.fraction_bits = 12;
    p.max_norm = norm;
    const Outcome outcome = play(world, p);
    for (const std::size_t arm : outcome.record.arms) ASSERT_LT(arm, 5u);
    const double bound = .75 * std::sqrt(static_cast<double>(p.steps));
    for (const double w : decoded(outcome.run.nodes[0].weights)) EXPECT_LE(std::abs(w), bound);
  }
}

TEST(BanditParametersTest, RefuseWhatWouldLeaveTheRanges) {
  const auto refused = [&](auto change) {
    BanditParameters p = small_parameters();
    change(p);
    EXPECT_THROW((void)plan_bandit(p), InputError);
  };
  EXPECT_NO_THROW((void)plan_bandit(small_parameters()));
  refused([](auto& p) { p.columns = {4}; });
  refused([](auto& p) { p.columns = {4, 0}; });
  refused([](auto& p) { p.columns.assign(9, 1); });
  refused([](auto& p) { p.arms = 0; });
  refused([](auto& p) { p.steps = 0; });
  refused([](auto& p) { p.max_norm = 8.01; });
  refused([](auto& p) { p.max_norm = 0; });
  refused([](auto& p) { p.max_norm = std::nan(""); });
  refused([](auto& p) { p.fraction_bits = 11; });
  refused([](auto& p) { p.fraction_bits = 25; });
  refused([](auto& p) { p.steps = std::uint64_t{1} << 45; });
}

}  // namespace
}  // namespace sotto::apps
