#include <fmt/format.h>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/opened_arm.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
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

// Every role has all contexts and all rewards. Only tests allow this.
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
  std::vector<std::size_t> arms;
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
    TrainingEvents lessons{events, contexts, {}, {}, {}};
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
  // `least` is the bound that learn.h states for the eigenvalues after any batch. An arm comes nearest to this bound if
  // it is played often in the last batch and never in earlier batches.
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

namespace {

struct AgreeCase {
  std::size_t parties;
  std::size_t arms;
  std::size_t events;
  bool exclude = false;
};

constexpr std::uint64_t shown_number = 0xfedc'ba98'7654'3210;

BatchPlan agree_plan(const AgreeCase& c) {
  BanditParameters p;
  p.columns.assign(c.parties, 2);
  p.arms = c.arms;
  p.steps = 1000;
  p.exploration = {0, true};  // agree() must ignore this setting
  p.separate_rewarder = true;
  return plan_batches(std::move(p), c.events, false);
}

struct Played {
  Played(const BatchPlan& p, const AgreeCase& c) : plan(p) {
    std::mt19937_64 random(11);
    const std::size_t d = plan.parameters.features();
    std::vector<std::vector<double>> rows;
    for (std::size_t a = 0; a < c.arms; ++a) {
      rows.push_back(unit_vector(random, d));
      for (const double w : rows.back()) weights.push_back(sotto::encode(w, plan.weight_bits));
    }
    for (std::size_t e = 0; e < c.events; ++e) {
      const std::vector<double> x = unit_vector(random, d, .99);
      for (const double v : x) contexts.push_back(sotto::encode(v, plan.context_bits));
      std::size_t best = c.arms;
      double most = -10;
      for (std::size_t a = 0; a < c.arms; ++a) {
        const bool is_allowed = !c.exclude || a == e % c.arms || random() % 2 == 0;
        if (c.exclude) allowed.push_back(is_allowed ? 1 : 0);
        double score = 0;
        for (std::size_t i = 0; i < d; ++i) score += rows[a][i] * x[i];
        if (!is_allowed || score <= most) continue;
        most = score;
        best = a;
      }
      const std::size_t own = random() % 2 == 0 ? best : random() % c.arms;
      const bool counts = e % 7 != 3;
      arms.push_back(counts ? own : c.arms);
      expected += counts && own == best ? 1 : 0;
    }
  }

  const BatchPlan& plan;
  Numbers weights, contexts;
  std::vector<std::size_t> arms;  // the arm played in each event; the number of arms means none
  protocols::AllowedArms allowed;
  std::uint64_t expected = 0;
  std::function<void(std::span<std::uint64_t>)> lie{};
};

struct AgreeShares {
  std::uint64_t agreed = 0;
  Numbers sent;
  std::optional<std::uint64_t> shown;
};

Task<AgreeShares> play(Party& party, const Played& world) {
  const BatchPlan& plan = world.plan;
  const std::size_t d = plan.parameters.features();
  const Shape shape{plan.parameters.arms, d};
  protocols::Input input = protocols::input_at(party, 0, shape, plan.weight_bits, [&](std::span<std::uint64_t> out) {
    std::copy(world.weights.begin(), world.weights.end(), out.begin());
  });
  const Masked weights = co_await protocols::share_input(party, 0, std::move(input), "test weights");
  AgreeShares result;
  PlayedEvents events{plan.batch, {}, world.allowed, {}, {}, 0, {}};
  events.contexts = [&](std::size_t owner, std::span<std::uint64_t> out) {
    for (std::size_t e = 0; e < plan.batch; ++e) {
      for (std::size_t i = 0; i < 2; ++i) out[2 * e + i] = world.contexts[e * d + 2 * owner + i];
    }
  };
  events.played = [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < world.arms.size(); ++e) out[world.arms[e] * world.arms.size() + e] = 1;
    if (world.lie) world.lie(out);
  };
  std::mt19937_64 coins(party.is(0) ? 21 : 22);
  events.coins = [&](std::span<std::uint64_t> out) { std::generate(out.begin(), out.end(), std::ref(coins)); };
  events.shown = party.is(0) ? shown_number - (plan.parameters.columns.size() - 1) : 1;
  events.sent = [&](std::span<const std::uint64_t> words) { result.sent.assign(words.begin(), words.end()); };
  const AgreementOf agreement = co_await agree(party, plan, weights.shares(party), std::move(events));
  protocols::pass_shares(party, agreement.agreed, [&](auto own) { result.agreed = own[0]; });
  agreement.shown.if_known([&](const Words& words) { result.shown = words[0]; });
  co_return result;
}

class Agreeing : public ::testing::TestWithParam<AgreeCase> {};

TEST_P(Agreeing, CountsEventsWhoseArmIsTheBestAllowedOne) {
  const AgreeCase& c = GetParam();
  const BatchPlan plan = agree_plan(c);
  const Played world(plan, c);
  ASSERT_GT(world.expected, 0u);
  const Topology topology = plan.parameters.topology();
  const auto program = [&](Party& party) { return play(party, world); };
  const auto run = protocols::simulate(topology, program);

  std::uint64_t agreed = 0;
  std::uint64_t sent = 0;
  for (std::size_t party = 0; party < c.parties; ++party) {
    agreed += run.nodes[party].agreed;
    ASSERT_EQ(run.nodes[party].sent.size(), 1u);
    sent += run.nodes[party].sent[0];
    EXPECT_FALSE(run.nodes[party].shown) << "a party is shown nothing";
  }
  EXPECT_EQ(agreed, world.expected);
  EXPECT_EQ(sent, shown_number);
  EXPECT_EQ(run.nodes[topology.outside_node()].shown, shown_number);
  EXPECT_FALSE(run.nodes[topology.further_node()].shown);

  const Ledger planned = protocols::plan(topology, program);
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  EXPECT_EQ(run.rounds, planned.total().rounds);
  EXPECT_EQ(run.rounds, 1 + plan.decide_rounds());
}

INSTANTIATE_TEST_SUITE_P(Runs, Agreeing,
                         ::testing::Values(AgreeCase{2, 4, 200}, AgreeCase{3, 3, 60}, AgreeCase{5, 10, 40},
                                           AgreeCase{2, 5, 150, true}, AgreeCase{2, 2, 1}, AgreeCase{2, 70, 30, true}),
                         [](const auto& info) {
                           const AgreeCase& c = info.param;
                           return fmt::format("{}Parties{}Arms{}Events{}", c.parties, c.arms, c.events,
                                              c.exclude ? "Excluding" : "");
                         });

// If all scores tie, each arm is equally likely to be the best: about 150 times in 600 events of 4 arms.
TEST(AgreeTies, AreBrokenAtRandom) {
  const AgreeCase c{2, 4, 600};
  const BatchPlan plan = agree_plan(c);
  Played world(plan, c);
  std::fill(world.weights.begin(), world.weights.end(), 0);
  std::fill(world.arms.begin(), world.arms.end(), 2);
  protocols::SimulationOptions options;
  options.insecure_seed = 5;
  const auto run = protocols::simulate(
      plan.parameters.topology(), [&](Party& party) { return play(party, world); }, options);
  const std::uint64_t agreed = run.nodes[0].agreed + run.nodes[1].agreed;
  EXPECT_GT(agreed, 100u);
  EXPECT_LT(agreed, 200u);
}

TEST(AgreeCheats, AreRefused) {
  const AgreeCase c{3, 4, 30};
  const BatchPlan plan = agree_plan(c);
  const auto refuses = [&](const std::function<void(std::span<std::uint64_t>)>& lie) {
    Played world(plan, c);
    world.lie = lie;
    const std::string said = error_of<ProtocolError>([&] {
      return protocols::simulate(plan.parameters.topology(), [&](Party& party) { return play(party, world); });
    });
    EXPECT_THAT(said, HasSubstr("no one-hots"));
  };
  const auto at = [&](std::size_t arm, std::size_t event) { return arm * c.events + event; };
  refuses([&](auto out) { out[at(1, 5)] = out[at(2, 5)] = 1; });
  refuses([&](auto out) { out[at(4, 5)] ^= 1; });
  refuses([&](auto out) {
    for (std::size_t arm = 0; arm <= c.arms; ++arm) out[at(arm, 29)] = 0;
  });
  refuses([&](auto out) {
    for (std::uint64_t& word : out) word *= 1000;
  });
  refuses([&](auto out) {
    for (std::size_t arm = 0; arm <= c.arms; ++arm) out[at(arm, 0)] = arm % 2;
  });
  // This change is accepted, because the protocol reads only the lowest bit of each word. The lowest bits of -1 and 1
  // are equal.
  Played world(plan, c);
  world.lie = [](auto out) {
    for (std::uint64_t& word : out) word = 0 - word;
  };
  const auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) { return play(party, world); });
  EXPECT_EQ(run.nodes[0].agreed + run.nodes[1].agreed + run.nodes[2].agreed, world.expected);
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
