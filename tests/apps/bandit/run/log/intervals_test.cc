// Intervals cover the truth: of a hundred logs of each of five ways to play, in plain text; the private evaluation
// gives the same sums (evaluation_test.cc), and is held against the truth of a few.
#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/plaintext_evaluation.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/bandit/run/log/logs.h"

namespace sotto::apps::bandit::run::testing {
namespace {

constexpr std::size_t test_arms = 3;
constexpr std::uint64_t test_learned = 400;
constexpr std::uint64_t test_events = 1600;

// What a policy earns on the average: over contexts that neither it nor its evaluation has seen.
double truth_of(const std::function<std::size_t(std::span<const double>)>& policy, const LoggedWorld& fresh) {
  double sum = 0;
  for (std::uint64_t t = 0; t < fresh.events; ++t) sum += fresh.chance(t, policy(fresh.context(t)));
  return sum / static_cast<double>(fresh.events);
}

std::size_t best_of(PlaintextBandit& bandit, std::span<const double> context) {
  const std::span<const double> scores = bandit.scores(context);
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

struct Covered {
  int ips = 0, snips = 0, robust = 0;
  double widths_of_ips = 0, widths_of_robust = 0;
};

bool covers(const Estimate& estimate, double truth) { return estimate.low <= truth && truth <= estimate.high; }

void count(Covered& covered, const PolicyValue& value, double truth) {
  covered.ips += covers(*value.ips, truth) ? 1 : 0;
  covered.snips += covers(*value.snips, truth) ? 1 : 0;
  covered.robust += covers(*value.robust, truth) ? 1 : 0;
  covered.widths_of_ips += value.ips->high - value.ips->low;
  covered.widths_of_robust += value.robust->high - value.robust->low;
}

// The model's policy and a fixed arm, for logs that explored always to a fifth of the time.
TEST(IntervalsStatistical, CoverTheTruthInNinetyOfAHundredRuns) {
  const LoggedWorld fresh(2, test_arms, 20'000, 77);
  const double truth_of_arm = truth_of([](auto) { return std::size_t{1}; }, fresh);
  double of_ips = 0;
  double of_robust = 0;
  for (const double explores : {1., .8, .6, .4, .2}) {
    Covered model;
    Covered arm;
    for (unsigned run = 0; run < 100; ++run) {
      const LoggedWorld world(2, test_arms, test_events, 1000 + run, explores);
      const std::vector<std::uint64_t> rows = rows_in_turn(test_events, test_events - test_learned, false);
      const LogWeights weights = log_weights(world.log, rows, test_learned, {.full_support = true});
      PlaintextBandit bandit(test_arms, 4, 0, 1);
      const OpenedSums sums = plaintext_evaluation(
          bandit, [&](std::uint64_t row) { return world.context(row); }, world.log, rows, weights.weights,
          test_learned);
      const std::vector<PolicyValue> values = policy_values(sums, world.log, rows, weights, test_learned);
      count(model, values[0], truth_of([&](auto context) { return best_of(bandit, context); }, fresh));
      count(arm, values[2], truth_of_arm);
    }
    for (const Covered& covered : {model, arm}) {
      EXPECT_GE(covered.ips, 90) << explores;
      EXPECT_GE(covered.snips, 90) << explores;
      EXPECT_GE(covered.robust, 90) << explores;
      of_ips += covered.widths_of_ips;
      of_robust += covered.widths_of_robust;
    }
  }
  EXPECT_LT(of_robust, .95 * of_ips) << "doubly robust is worth its estimates";
}

// The control: without weights, what was earned where the arms agree is far from the truth for a log that played by
// case, and is not shown.
TEST(IntervalsStatistical, AreNotShownWithoutWeights) {
  for (unsigned run = 0; run < 20; ++run) {
    const LoggedWorld world(2, test_arms, test_events, 2000 + run, .2);
    const std::vector<std::uint64_t> rows = rows_in_turn(test_events, test_events, false);
    const LogWeights ones{.weights = std::vector<double>(test_events, 1.)};
    PlaintextBandit bandit(test_arms, 4, 0, 1);
    const OpenedSums sums = plaintext_evaluation(
        bandit, [&](std::uint64_t row) { return world.context(row); }, world.log, rows, ones.weights, 0);
    EXPECT_FALSE(policy_values(sums, world.log, rows, ones, 0)[1].has_value());
  }
}

// In shares: 4 logs, 3 intervals of the model each. By chance one in twenty misses; 5 of 12 do not.
TEST(IntervalsStatistical, OfThePrivateEvaluationDoAsWell) {
  const LoggedWorld fresh(2, test_arms, 20'000, 77);
  int covered = 0;
  for (unsigned run = 0; run < 4; ++run) {
    const LoggedWorld world(2, test_arms, test_events, 3000 + run, .5);
    BanditParameters p = world.parameters();
    p.task = BanditTask::evaluate;
    p.batch = 200;
    p.held_out = {test_events - test_learned, 100};
    const BanditPlan plan = plan_bandit(p);
    const std::vector<std::uint64_t> rows = rows_in_turn(test_events, p.held_out.events, false);
    const LogWeights weights = log_weights(world.log, rows, test_learned, {.full_support = true});
    std::vector<std::unique_ptr<LoggedRole>> sites;
    (void)protocols::simulate(plan.parameters.topology(), [&](Party& party) {
      sites.push_back(world.site(plan, sites.size(), rows, weights.weights));
      return private_bandit(party, plan, *sites.back());
    });
    const LogSite& actor = *sites.at(2)->log;
    PlaintextBandit bandit(test_arms, 4, 0, 1);
    for (std::uint64_t t = 0; t < test_learned; ++t)
      bandit.update(world.context(t), world.log.arm(t), world.log.reward(t));
    Covered of_run;
    const double truth = truth_of([&](auto context) { return best_of(bandit, context); }, fresh);
    count(of_run, policy_values(actor.sums().value(), world.log, rows, weights, test_learned)[0], truth);
    covered += of_run.ips + of_run.snips + of_run.robust;
  }
  EXPECT_GE(covered, 8);
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
