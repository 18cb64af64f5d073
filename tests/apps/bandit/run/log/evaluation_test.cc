// A log that is evaluated in shares, beside the same in plain text; its costs, and what it refuses.

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/run/log/estimates.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/bandit/run/log/logs.h"

namespace sotto::apps::bandit::run::testing {
namespace {

struct EvaluationCase {
  std::size_t parties;
  std::size_t arms;
  std::uint64_t events;
  std::uint64_t held_out;
  bool mixed = false;
  double units = 1;
};

BanditPlan evaluation_plan(const LoggedWorld& world, const EvaluationCase& c) {
  BanditParameters p = world.parameters();
  p.task = BanditTask::evaluate;
  p.batch = 64;
  p.held_out = {c.held_out, 50};
  return plan_bandit(p);
}

class Evaluating : public ::testing::TestWithParam<EvaluationCase> {};

TEST_P(Evaluating, OpensTheSumsOfThePlainTextToTheActorAlone) {
  const EvaluationCase& c = GetParam();
  const LoggedWorld world(c.parties, c.arms, c.events, 5, .6, c.units);
  const BanditPlan plan = evaluation_plan(world, c);
  const std::vector<std::uint64_t> rows = rows_in_turn(c.events, c.held_out, c.mixed);
  const std::uint64_t learned = c.events - c.held_out;
  const std::vector<double> weights = log_weights(world.log, rows, learned, {}).weights;
  const Topology topology = plan.parameters.topology();
  std::vector<std::unique_ptr<LoggedRole>> sites;
  const auto run = protocols::simulate(topology, [&](Party& party) {
    sites.push_back(world.site(plan, sites.size(), rows, weights));
    return private_bandit(party, plan, *sites.back());
  });
  const LogSite& actor = *sites.at(c.parties)->log;
  ASSERT_TRUE(actor.sums());
  const OpenedSums& sums = *actor.sums();

  PlaintextBandit bandit(c.arms, 2 * c.parties, 0, 1);
  const OpenedSums twin = plaintext_evaluation(
      bandit, [&](std::uint64_t row) { return world.context(row); }, world.log, rows, weights, learned);
  // A near tie may fall to another arm, and terms are rounded.
  const auto events = static_cast<double>(c.held_out);
  EXPECT_EQ(sums.events, c.held_out);
  EXPECT_NEAR(sums.w / events, twin.w / events, .03);
  EXPECT_NEAR(sums.y / events, twin.y / events, .03);
  EXPECT_NEAR(sums.ww / events, twin.ww / events, .2);
  EXPECT_NEAR(sums.yw / events, twin.yw / events, .2);
  EXPECT_NEAR(sums.yy / events, twin.yy / events, .2);
  EXPECT_NEAR(sums.d / events, twin.d / events, .01);
  EXPECT_NEAR(sums.dd / events, twin.dd / events, .2);
  for (std::size_t arm = 0; arm < c.arms; ++arm) {
    EXPECT_NEAR(sums.arms[arm] / events, twin.arms[arm] / events, 2e-3) << arm;
    EXPECT_NEAR(sums.arm_squares[arm] / events, twin.arm_squares[arm] / events,
                1e-2 * (1 + twin.arm_squares[arm] / events));
  }

  BanditSite quiet;
  const Ledger planned = protocols::plan(topology, [&](Party& party) { return private_bandit(party, plan, quiet); });
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  const std::uint64_t batches = (c.held_out + EvaluationPlan::most_at_once - 1) / EvaluationPlan::most_at_once;
  EXPECT_EQ(run.ledger.of(evaluate_phase).rounds, batches * EvaluationPlan::rounds(plan.parameters));
  EXPECT_EQ(run.ledger.of(sums_phase).rounds, 1u);
  EXPECT_EQ(run.rounds, (learned + 63) / 64 * BatchPlan::learn_rounds + planned.of(evaluate_phase).rounds + 1);
  // Sums alone go to the actor: nothing in any other phase.
  EXPECT_EQ(run.ledger.of(decide_phase).rounds, 0u);
}

INSTANTIATE_TEST_SUITE_P(Runs, Evaluating,
                         ::testing::Values(EvaluationCase{2, 3, 1600, 1100}, EvaluationCase{3, 4, 1300, 1000, true},
                                           EvaluationCase{5, 2, 1200, 1000},
                                           EvaluationCase{2, 3, 1500, 1100, true, 40}),
                         [](const auto& info) {
                           const EvaluationCase& c = info.param;
                           return fmt::format("{}Parties{}Arms{}{}", c.parties, c.arms, c.mixed ? "Mixed" : "",
                                              c.units == 1 ? "" : "Scaled");
                         });

// Sums over fewer than 1,000 events are refused, whoever asks.
TEST(EvaluationPlans, NeedAThousandEvents) {
  const auto plan_of = [](std::uint64_t steps, std::uint64_t held_out, std::uint64_t before = 0) {
    BanditParameters p{.columns = {2, 2}, .arms = 3, .steps = steps};
    p.task = BanditTask::evaluate;
    p.held_out = {held_out, 100};
    p.events_before = before;
    return plan_bandit(p);
  };
  EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 999); }),
              AllOf(HasSubstr("--held-out: 999 events"), HasSubstr("fewer than 1000")));
  EXPECT_EQ(plan_of(5000, 1000).evaluation->evaluated, 1000u);
  EXPECT_EQ(plan_of(5000, 1000).evaluation->learned, 4000u);
  EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 5000); }), HasSubstr("the whole log is held out"));
  EXPECT_EQ(plan_of(5000, 5000, 10).evaluation->learned, 0u);
}

// Sums of squares fit whatever is summed: the bounds times the events stay below 2^62.
TEST(EvaluationPlans, HaveRoomForTheWorst) {
  for (const std::uint64_t steps : {2'000u, 100'000u, 10'000'000u}) {
    for (const double weight : {1., 10., 100., 1000.}) {
      for (const double norm : {1., 8.}) {
        BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = steps, .max_norm = norm};
        p.task = BanditTask::evaluate;
        p.held_out = {steps / 2, weight};
        p.batch = 16;
        if (norm > 1 && steps > 1'000'000) continue;  // refused for the inverse matrices
        BanditPlan plan;
        try {
          plan = plan_bandit(p);
        } catch (const InputError& error) {
          EXPECT_THAT(error.what(), HasSubstr("--least-propensity"));
          EXPECT_GE(weight, 1000);
          continue;
        }
        const EvaluationPlan& e = *plan.evaluation;
        const double events = static_cast<double>(e.evaluated);
        const double largest =
            .5 * (1 + plan.batches->rounding) * norm * 1.0003 * std::sqrt(static_cast<double>(steps));
        const double term = largest * (1 + weight) + weight;
        const auto scaled = [](double value, unsigned bits) {
          return value * std::ldexp(1., static_cast<int>(bits)) + 1;
        };
        EXPECT_LT(events * std::pow(scaled(term, e.gain_bits), 2), 0x1p62);
        EXPECT_LT(events * std::pow(scaled(weight, e.weight_bits), 2), 0x1p62);
        EXPECT_LT(scaled(term, e.estimate_bits + e.weight_bits), 0x1p62);
        EXPECT_LT(scaled(largest, plan.context_bits + plan.batches->weight_bits), 0x1p62);
        EXPECT_GT(e.estimate_bits + e.weight_bits, e.gain_bits);
      }
    }
  }
}

// By hand: three events, two arms, thirty times.
TEST(Estimates, AreWhatTheirDefinitionsSay) {
  const TestFolder folder;
  constexpr int times = 30;
  std::string text = "arm,reward,propensity\n1,10,.5\n";  // the first is learned
  LogWeights weights{.weights = {2}, .full_support = true};
  for (int i = 0; i < times; ++i) {
    text += "0,5,.5\n1,0,.5\n0,2,.6667\n";
    for (const double weight : {2., 2., 1.5}) weights.weights.push_back(weight);
  }
  const EventLog log = EventLog::read(folder.put("log.csv", text), {2, 10});
  OpenedSums sums;
  sums.events = 3 * times;
  // The model holds arm 0 best in all of them.
  sums.y = times * (2 * .5 + 1.5 * .2);
  sums.w = times * 3.5;
  sums.yy = times * (1 + .09);
  sums.yw = times * (2 + .45);
  sums.ww = times * (4 + 2.25);
  sums.d = times * .9;
  sums.dd = times * .35;
  sums.arms = {sums.d, sums.d / 2};
  sums.arm_squares = {sums.dd, sums.dd};
  const std::vector<std::uint64_t> rows = rows_in_turn(3 * times + 1, 3 * times, false);
  const std::vector<PolicyValue> values = policy_values(sums, log, rows, weights, 1);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].policy, "model");
  EXPECT_EQ(values[0].support, Support::shown);
  EXPECT_NEAR(values[0].mean_weight->value, 3.5 / 3, 1e-9);
  EXPECT_NEAR(values[0].ips->value, 10 * 1.3 / 3, 1e-9);
  EXPECT_NEAR(values[0].snips->value, 10 * 1.3 / 3.5, 1e-9);
  EXPECT_NEAR(values[0].robust->value, 3, 1e-9);
  EXPECT_NEAR(values[0].effective_events, times * 3.5 * 3.5 / 6.25, 1e-9);
  // Of 1, 0 and .3, and of two more events of weight 2 and reward 1: variance of the mean by hand.
  const double mean = 1.3 / 3;
  const double spread = ((1 - mean) * (1 - mean) + mean * mean + (.3 - mean) * (.3 - mean)) / 3 / (3 * times - 1);
  const double half = 10 * 1.959964 * std::sqrt(spread + 2 * 4. / (3 * times) / (3 * times));
  EXPECT_NEAR(values[0].ips->high - values[0].ips->value, half, 1e-4);
  EXPECT_NEAR(values[0].ips->value - values[0].ips->low, half, 1e-4);
  EXPECT_LE(values[0].bounds->low, values[0].ips->value);
  EXPECT_LT(values[0].bounds->low, values[0].bounds->high);
  // Arm 0 by the log alone is the same policy.
  EXPECT_EQ(values[1].policy, "arm 0");
  EXPECT_NEAR(values[1].ips->value, values[0].ips->value, 1e-9);
  EXPECT_NEAR(values[1].snips->high, values[0].snips->high, 1e-9);
  EXPECT_NEAR(values[2].ips->value, 0, 1e-9);
  EXPECT_NEAR(values[2].robust->value, 1.5, 1e-9);
  EXPECT_EQ(values[2].ips->low, 0) << "no reward of the log is lower";
  EXPECT_EQ(values[3].policy, "log");
  EXPECT_NEAR(values[3].ips->value, 7. / 3, 1e-9);
  EXPECT_FALSE(values[3].robust);
}

TEST(Estimates, OfAnArmThatWasNeverPlayedAreNone) {
  const TestFolder folder;
  const EventLog log = EventLog::read(folder.put("log.csv", "arm,reward,propensity\n0,1,1\n0,0,1\n"), {2, 1});
  OpenedSums sums;
  sums.events = 2;
  sums.arms = {1, 1};
  sums.arm_squares = {1, 1};
  const std::vector<PolicyValue> values = policy_values(sums, log, {0, 1}, {.weights = {1, 1}}, 0);
  // Nor has a model that picked only arms that were not.
  EXPECT_EQ(values[0].support, Support::lacking);
  EXPECT_FALSE(values[0].snips);
  EXPECT_EQ(values[2].support, Support::not_played);
  EXPECT_FALSE(values[2].ips || values[2].snips || values[2].robust || values[2].bounds || values[2].mean_weight);
  EXPECT_EQ(values[2].effective_events, 0);
}

// Intervals cover the truth: of a hundred logs of each of five ways to play, in plain text; the private evaluation
// gives the same sums (evaluation_test.cc), and is held against the truth of a few.

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
