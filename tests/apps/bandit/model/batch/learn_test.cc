// decide and learn beside exact sums in integers and ridge regression in double precision.

#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/opened_arm.h"

#include <fmt/format.h>

#include "apps/bandit/model/batch/decide.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::bandit::testing {

namespace {

struct Case {
  std::size_t parties;
  std::size_t arms;
  std::size_t batch;
  std::uint64_t events;
  bool binary = true;
  bool may_skip = false;
  bool exclude = false;
  bool separate_rewarder = false;
};

BatchPlan plan_of(const Case& c) {
  BanditParameters p;
  p.columns.assign(c.parties, 2);
  p.columns[0] = 3;
  p.arms = c.arms;
  p.steps = c.events;
  p.binary_rewards = c.binary;
  p.separate_rewarder = c.separate_rewarder;
  p.exploration = {std::uint64_t{1} << 61, false};
  return plan_batches(std::move(p), c.batch, c.may_skip);
}

// Contexts in words, and what every arm would earn: the same at every role, as only a test has it.
struct World {
  World(const BatchPlan& p, bool exclude) : plan(p), sums(p) {
    std::mt19937_64 random(7);
    const std::size_t d = plan.parameters.features();
    const std::size_t count = plan.parameters.arms;
    std::vector<std::vector<double>> centres;
    for (std::size_t a = 0; a < count; ++a) centres.push_back(unit_vector(random, d));
    for (std::uint64_t t = 0; t < plan.parameters.steps; ++t) {
      const std::vector<double> x = unit_vector(random, d, .999);
      for (const double v : x) contexts.push_back(sotto::encode(v, plan.context_bits));
      for (std::size_t a = 0; a < count; ++a) {
        double dot = 0;
        for (std::size_t i = 0; i < d; ++i) dot += centres[a][i] * x[i];
        rewards.push_back(plan.parameters.binary_rewards ? (dot > .2 ? 1 : 0) : sotto::encode(dot, plan.reward_bits));
        if (exclude) allowed.push_back(a == t % count || random() % 2 == 0 ? 1 : 0);
      }
      learned.push_back(!plan.may_skip || random() % 4 != 0 ? 1 : 0);
    }
  }
  void context(std::uint64_t event, std::size_t party, std::size_t events, std::span<std::uint64_t> out) const {
    const std::size_t d = plan.parameters.features();
    std::size_t first = 0;
    for (std::size_t p = 0; p < party; ++p) first += plan.parameters.columns[p];
    const std::size_t columns = plan.parameters.columns[party];
    for (std::size_t e = 0; e < events; ++e) {
      for (std::size_t i = 0; i < columns; ++i) out[e * columns + i] = contexts[(event + e) * d + first + i];
    }
  }

  const BatchPlan& plan;
  IntegerSums sums;
  Numbers contexts, rewards, learned;
  protocols::AllowedArms allowed;
  std::vector<std::size_t> arms;  // as they were opened to the actor
};

Task<OpenedModel> play(Party& party, World& world) {
  const BatchPlan& plan = world.plan;
  const std::size_t arms = plan.parameters.arms;
  BatchModel model = initial_batch_model(party, plan);
  for (std::uint64_t first = 0; first < plan.parameters.steps; first += plan.batch) {
    const std::size_t events = std::min<std::uint64_t>(plan.batch, plan.parameters.steps - first);
    const FillContexts contexts = [&world, first, events](std::size_t owner, std::span<std::uint64_t> out) {
      world.context(first, owner, events, out);
    };
    protocols::AllowedArms allowed;
    if (!world.allowed.empty()) {
      const auto begin = world.allowed.begin() + static_cast<std::ptrdiff_t>(first * arms);
      allowed.assign(begin, begin + static_cast<std::ptrdiff_t>(events * arms));
    }
    party.enter_phase("decide");
    const Public chosen = co_await decide(party, plan, model.weights, events, contexts, std::move(allowed));
    chosen.if_known([&](const Words& words) {
      for (std::size_t e = 0; e < events; ++e) {
        const std::size_t arm = arm_of(std::span(words).subspan(e * arms, arms), first + e);
        EXPECT_TRUE(world.allowed.empty() || world.allowed[(first + e) * arms + arm] == 1) << "event " << first + e;
        world.arms.push_back(arm);
      }
    });
    const auto event_of = [&world, first, arms](std::size_t e) { return (first + e) * arms + world.arms[first + e]; };
    Lessons lessons{events, contexts, {}, {}, {}};
    lessons.arms = [&world, first, arms](std::span<std::uint64_t> out) {
      std::fill(out.begin(), out.end(), 0);
      for (std::size_t e = 0; e < out.size() / arms; ++e) out[e * arms + world.arms[first + e]] = 1;
    };
    lessons.rewards = [&world, event_of, first](std::span<std::uint64_t> out) {
      const std::size_t d = world.plan.parameters.features();
      for (std::size_t e = 0; e < out.size(); ++e) {
        out[e] = world.learned[first + e] * world.rewards[event_of(e)];
        if (world.learned[first + e] == 0) continue;
        world.sums.add(world.arms[first + e], std::span(world.contexts).subspan((first + e) * d, d),
                       world.rewards[event_of(e)]);
      }
    };
    lessons.learned = [&world, first](std::span<std::uint64_t> out) {
      for (std::size_t e = 0; e < out.size(); ++e) out[e] = world.learned[first + e];
    };
    party.enter_phase("learn");
    model = co_await learn(party, plan, std::move(model), std::move(lessons));
  }
  party.enter_phase("test");
  co_return co_await opened(party, model);
}

class Learning : public ::testing::TestWithParam<Case> {};

TEST_P(Learning, KeepsExactSumsAndFindsTheirRidgeRegression) {
  const Case& c = GetParam();
  const BatchPlan plan = plan_of(c);
  World world(plan, c.exclude);
  const Topology topology = plan.parameters.topology();
  const auto program = [&](Party& party) { return play(party, world); };
  const auto run = protocols::simulate(topology, program);
  ASSERT_EQ(world.arms.size(), c.events);

  const OpenedModel& model = run.nodes[0];
  EXPECT_EQ(model.gram, world.sums.gram);
  EXPECT_EQ(model.targets, world.sums.targets);
  const std::size_t d = plan.parameters.features();
  // What learn.h promises after any batch: few get as near to it as an arm that is played often in its last one alone.
  const double least = std::min(.97, std::ldexp(1.0, BatchPlan::iterations + 1) / static_cast<double>(2 + c.batch));
  for (std::size_t a = 0; a < c.arms; ++a) {
    const Eigen::MatrixXd A = matrix_of(model.gram, a, d, 2 * plan.context_bits);
    const Eigen::VectorXd b = vector_of(model.targets, a, d, plan.context_bits + plan.reward_bits);
    const Eigen::VectorXd M = eigenvalues_of(A, matrix_of(model.inverse, a, d, plan.inverse_bits));
    EXPECT_GT(M.minCoeff(), least) << "arm " << a;
    EXPECT_LE(M.maxCoeff(), 1 + plan.rounding) << "arm " << a;
    const Eigen::VectorXd w = vector_of(model.weights, a, d, plan.weight_bits);
    EXPECT_LT((w - solved(A, b)).norm(), 2e-2) << "arm " << a;
  }

  const Ledger planned = protocols::plan(topology, program);
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  EXPECT_EQ(run.rounds, planned.total().rounds);
  const std::uint64_t batches = (c.events + c.batch - 1) / c.batch;
  EXPECT_EQ(run.rounds, batches * ((c.arms <= 64 ? 5 : 10) + BatchPlan::learn_rounds) + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Learning,
    ::testing::Values(Case{2, 4, 64, 512}, Case{3, 3, 32, 256, false}, Case{5, 3, 16, 96, true, true},
                      Case{2, 5, 50, 330, false, true, true}, Case{2, 3, 1, 60}, Case{3, 1, 8, 40},
                      Case{2, 4, 64, 256, false, true, true, true}, Case{2, 70, 16, 96, true, false, true}),
    [](const auto& info) {
      const Case& c = info.param;
      return fmt::format("{}Parties{}Arms{}AtOnce{}{}{}", c.parties, c.arms, c.batch, c.binary ? "" : "Real",
                         c.may_skip ? "Skipping" : "", c.exclude ? "Excluding" : "");
    });

}  // namespace
}  // namespace sotto::apps::bandit::testing
