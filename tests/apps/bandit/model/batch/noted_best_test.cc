// decide with BatchPlan::notes_best, against scores in the clear.
#include "apps/bandit/model/batch/kept_programs.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::bandit::testing {
namespace {

struct NotedWorld {
  NotedWorld(std::size_t parties, std::size_t arms, std::size_t events) : plan(plan_of(parties, arms, events)) {
    std::mt19937_64 random(31 * arms + parties);
    const std::size_t d = plan.parameters.features();
    for (std::size_t i = 0; i < arms; ++i) {
      for (const double value : unit_vector(random, d)) weights.push_back(sotto::encode(value, plan.weight_bits));
    }
    for (std::size_t e = 0; e < events; ++e) {
      for (const double value : unit_vector(random, d, .99))
        contexts.push_back(sotto::encode(value, plan.context_bits));
      for (std::size_t i = 0; i < arms; ++i) allowed.push_back(i == e % arms || random() % 3 != 0 ? 1 : 0);
    }
    // Shares of the weights: all parties except the first have uniform words.
    shares.assign(parties, Numbers(weights.size()));
    shares[0] = weights;
    for (std::size_t party = 1; party < parties; ++party) {
      for (std::size_t i = 0; i < weights.size(); ++i) {
        shares[party][i] = random();
        shares[0][i] -= shares[party][i];
      }
    }
  }
  static BatchPlan plan_of(std::size_t parties, std::size_t arms, std::size_t events) {
    BanditParameters p;
    p.columns.assign(parties, 2);
    p.arms = arms;
    p.steps = 10 * events;
    p.exploration = {std::uint64_t{1} << 62, false};
    BatchPlan plan = plan_batches(std::move(p), events);
    plan.notes_best = true;
    return plan;
  }
  [[nodiscard]] std::size_t best(std::size_t event) const {
    const std::size_t d = plan.parameters.features();
    const std::size_t arms = plan.parameters.arms;
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      if (allowed[event * arms + arm] == 0) continue;
      double score = 0;
      for (std::size_t i = 0; i < d; ++i) {
        score += decode(weights[arm * d + i], plan.weight_bits) * decode(contexts[event * d + i], plan.context_bits);
      }
      if (!best || score > most) {
        best = arm;
        most = score;
      }
    }
    return *best;
  }
  [[nodiscard]] Task<DecideResult> play(Party& party, std::size_t events) const {
    DecideInputs inputs;
    inputs.size = events;
    inputs.allowed = allowed;
    for (std::size_t p = 0; p < shares.size(); ++p) {
      if (!party.is(static_cast<NodeId>(p))) continue;
      ModelWords model;
      model.weights = shares[p];
      inputs.model = std::make_shared<const ModelWords>(std::move(model));
      const std::size_t d = plan.parameters.features();
      for (std::size_t e = 0; e < events; ++e) {
        for (std::size_t i = 0; i < 2; ++i) inputs.contexts.push_back(contexts[e * d + 2 * p + i]);
      }
    }
    return run_decide(party, plan, std::move(inputs));
  }

  BatchPlan plan;
  Numbers weights, contexts;
  protocols::AllowedArms allowed;
  std::vector<Numbers> shares;
};

class NotedBest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NotedBest, IsWhetherTheChosenArmHasTheLargestScore) {
  constexpr std::size_t events = 120;
  for (const std::size_t arms : {2u, 6u, 64u}) {
    const NotedWorld world(GetParam(), arms, events);
    const Topology topology = world.plan.parameters.topology();
    const auto run = protocols::simulate(topology, [&](Party& party) { return world.play(party, events); });
    const std::vector<std::uint16_t>& chosen = run.nodes[actor_of(topology)].arms;
    ASSERT_EQ(chosen.size(), events);
    std::size_t explored = 0;
    for (std::size_t e = 0; e < events; ++e) {
      unsigned bit = 0;
      for (std::size_t party = 0; party < GetParam(); ++party) bit ^= run.nodes[party].best.at(e);
      EXPECT_EQ(bit, chosen[e] == world.best(e) ? 1u : 0u) << arms << " arms, event " << e;
      explored += bit == 0 ? 1 : 0;
    }
    EXPECT_GT(explored, 0u);
    EXPECT_EQ(run.rounds, 6u);
    EXPECT_EQ(world.plan.decide_rounds(), 6u);
    const Ledger planned =
        protocols::plan(topology, [&](Party& party) { return decide_without_inputs(party, world.plan, events); });
    EXPECT_EQ(planned.total().rounds, run.rounds);
    EXPECT_EQ(planned.total().sent, run.sent);
  }
}

INSTANTIATE_TEST_SUITE_P(Parties, NotedBest, ::testing::Values(2, 3, 5));

}  // namespace
}  // namespace sotto::apps::bandit::testing
