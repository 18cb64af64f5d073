// agree beside a count in the clear.

#include "apps/bandit/model/batch/agree.h"

#include <fmt/format.h>

#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/share_input.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::bandit::testing {
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
  p.exploration = {0, true};  // which must not show
  p.separate_rewarder = true;
  return plan_batches(std::move(p), c.events, false);
}

// What all roles bring, and what must come out: the same at every role, as only a test has it.
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
      // Of seven events one does not count, and of the others about half agree.
      const std::size_t own = random() % 2 == 0 ? best : random() % c.arms;
      const bool counts = e % 7 != 3;
      for (std::size_t a = 0; a < c.arms; ++a) played.push_back(counts && a == own ? 1 : 0);
      expected += counts && own == best ? 1 : 0;
    }
  }

  const BatchPlan& plan;
  Numbers weights, contexts, played;
  protocols::AllowedArms allowed;
  std::uint64_t expected = 0;
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
  PlayedEvents events{plan.batch, {}, world.allowed, {}, 0, {}};
  events.contexts = [&](std::size_t owner, std::span<std::uint64_t> out) {
    for (std::size_t e = 0; e < plan.batch; ++e) {
      for (std::size_t i = 0; i < 2; ++i) out[2 * e + i] = world.contexts[e * d + 2 * owner + i];
    }
  };
  events.played = [&](std::span<std::uint64_t> out) {
    std::copy(world.played.begin(), world.played.end(), out.begin());
  };
  // Shares of the number: one at every party, and the rest at party 0.
  events.shown = party.is(0) ? shown_number - (plan.parameters.columns.size() - 1) : 1;
  events.sent = [&](std::span<const std::uint64_t> words) { result.sent.assign(words.begin(), words.end()); };
  const AgreementOf agreement = co_await agree(party, plan, weights.shares(party), std::move(events));
  protocols::hand_shares_over(party, agreement.agreed, [&](auto own) { result.agreed = own[0]; });
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

// Where all scores tie each arm is as likely to be the best: in 600 events of 4 arms the same arm 150 times, give or
// take.
TEST(AgreeTies, AreBrokenAtRandom) {
  const AgreeCase c{2, 4, 600};
  const BatchPlan plan = agree_plan(c);
  Played world(plan, c);
  std::fill(world.weights.begin(), world.weights.end(), 0);
  for (std::size_t i = 0; i < world.played.size(); ++i) world.played[i] = i % c.arms == 2 ? 1 : 0;
  protocols::SimulationOptions options;
  options.insecure_seed = 5;
  const auto run = protocols::simulate(
      plan.parameters.topology(), [&](Party& party) { return play(party, world); }, options);
  const std::uint64_t agreed = run.nodes[0].agreed + run.nodes[1].agreed;
  EXPECT_GT(agreed, 100u);
  EXPECT_LT(agreed, 200u);
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
