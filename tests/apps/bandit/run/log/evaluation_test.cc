#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/solve.h"
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
  std::optional<CountPrivacy> privacy{};
  bool by_best = false;
};

constexpr std::size_t cells = 12;

BanditPlan evaluation_plan(const LoggedWorld& world, std::uint64_t held_out) {
  BanditParameters p = world.parameters();
  p.task = BanditTask::evaluate;
  p.batch = 64;
  p.held_out = {held_out, cells, false, world.by_best};
  return plan_bandit(p);
}

std::vector<std::int64_t> noise_of_parties(const EvaluationCase& c, std::uint64_t batches) {
  std::vector<std::int64_t> sums(c.by_best ? 2 * cells : cells, 0);
  for (std::size_t party = 0; party < c.parties; ++party) {
    OwnNoise noise(c.privacy, Coins::insecure(17 + party), nullptr, c.by_best);
    std::vector<std::uint64_t> words(2);
    for (std::uint64_t batch = 0; batch < batches; ++batch) noise.draw_coins(words);
    words.resize(sums.size());
    noise.draw_noise(words);
    for (std::size_t count = 0; count < sums.size(); ++count) sums[count] += static_cast<std::int64_t>(words[count]);
  }
  return sums;
}

class Evaluating : public ::testing::TestWithParam<EvaluationCase> {};

TEST_P(Evaluating, OpensTheCountsOfThePlainTextToTheActorAlone) {
  const EvaluationCase& c = GetParam();
  const LoggedWorld world(c.parties, c.arms, c.events, 5, .6, c.units, c.by_best);
  const BanditPlan plan = evaluation_plan(world, c.held_out);
  const std::uint64_t learned = c.events - c.held_out;
  const LogTurns turns = world.turns(rows_in_turn(c.events, c.held_out, c.mixed), learned, cells);
  const Topology topology = plan.parameters.topology();
  std::vector<std::unique_ptr<LoggedRole>> sites;
  const auto run = protocols::simulate(topology, [&](Party& party) {
    sites.push_back(world.site(plan, sites.size(), turns, c.privacy));
    return private_bandit(party, plan, *sites.back());
  });
  const LogSite& actor = *sites.at(c.parties)->log;
  ASSERT_TRUE(actor.counts());
  const OpenedCounts& counts = *actor.counts();

  PlaintextBandit bandit(c.arms, 2 * c.parties, 0, 1);
  const EvaluatedLog evaluated{world.log, turns.rows, learned, turns.weights};
  const std::vector<bool> agreements = plaintext_agreements(
      bandit, [&](std::uint64_t row) { return world.context(row); }, evaluated);
  std::vector<std::int64_t> expected =
      noise_of_parties(c, (c.held_out + EvaluationPlan::most_at_once - 1) / EvaluationPlan::most_at_once);
  for (std::size_t i = 0; i < agreements.size(); ++i) {
    const bool is_other = c.by_best && !world.best[turns.rows[learned + i]];
    expected[turns.cells.of_event[i] + (is_other ? cells : 0)] += agreements[i] ? 1 : 0;
  }
  EXPECT_EQ(counts.events, c.held_out);
  ASSERT_EQ(counts.agreed.size(), cells);
  ASSERT_EQ(counts.otherwise.size(), c.by_best ? cells : 0);
  // If the scores of two arms nearly tie, the run and the twin may choose different arms, so the counts may differ a
  // little.
  std::int64_t apart = 0;
  for (std::size_t count = 0; count < expected.size(); ++count) {
    const std::int64_t shown = count < cells ? counts.agreed[count] : counts.otherwise[count - cells];
    apart += std::abs(shown - expected[count]);
  }
  EXPECT_LE(apart, static_cast<std::int64_t>(c.held_out / 50));

  BanditSite quiet;
  const Ledger planned = protocols::plan(topology, [&](Party& party) { return private_bandit(party, plan, quiet); });
  EXPECT_EQ(planned.total(), run.ledger.total());
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  const std::uint64_t batches = (c.held_out + EvaluationPlan::most_at_once - 1) / EvaluationPlan::most_at_once;
  const std::uint64_t closing = EvaluationPlan::closing_rounds(plan.parameters);
  EXPECT_EQ(run.ledger.of(evaluate_phase).rounds, batches * EvaluationPlan::rounds(plan.parameters));
  EXPECT_EQ(run.ledger.of(counts_phase).rounds, closing);
  EXPECT_EQ(run.rounds, (learned + 63) / 64 * sum_rounds + solve_rounds(*plan.batches) +
                            planned.of(evaluate_phase).rounds + closing);
  EXPECT_EQ(run.ledger.of(decide_phase).rounds, 0u);
}

INSTANTIATE_TEST_SUITE_P(Runs, Evaluating,
                         ::testing::Values(EvaluationCase{2, 3, 1600, 1100}, EvaluationCase{3, 4, 1300, 1000, true},
                                           EvaluationCase{5, 2, 1200, 1000}, EvaluationCase{2, 3, 1500, 1100, true, 40},
                                           EvaluationCase{2, 2, 2300, 2100, false, 1, CountPrivacy{.5, 1}},
                                           EvaluationCase{3, 2, 1100, 1000, false, 1, CountPrivacy{1, 4}},
                                           EvaluationCase{2, 3, 1600, 1100, false, 1, {}, true},
                                           EvaluationCase{3, 4, 1300, 1000, true, 40, {}, true},
                                           EvaluationCase{5, 2, 1200, 1000, false, 1, {}, true},
                                           EvaluationCase{2, 2, 2300, 2100, false, 1, CountPrivacy{.5, 2}, true}),
                         [](const auto& info) {
                           const EvaluationCase& c = info.param;
                           return fmt::format("{}Parties{}Arms{}{}{}{}", c.parties, c.arms, c.mixed ? "Mixed" : "",
                                              c.units == 1 ? "" : "Scaled", c.privacy ? "Noised" : "",
                                              c.by_best ? "ByBest" : "");
                         });

// All inputs of these roles are the same in every event, so all counts are known. The model always scores arm 1 best.
// The logged arm was the best arm of the play in every third event.
class FixedRole final : public SiteOf<Contexts, Arms, Rewards, CountNoise, BestShares> {
 public:
  FixedRole(std::size_t node, bool cheats) : node_(node), cheats_(cheats) {}
  bool best_share(std::uint64_t step) override {
    const bool is_best = (step - learned) % 3 == 0;
    const bool mask = step * 0x9e3779b97f4a7c15u >> 63 == 1;
    return node_ == 0 ? is_best != mask : node_ == 1 && mask;
  }
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override {
    std::fill(out.begin(), out.end(), sotto::encode(.5, 20));
  }
  std::size_t logged_arm(std::uint64_t step) override { return step < learned ? 1 : step % 2; }
  std::size_t logged_cell(std::uint64_t step) override {
    return cheats_ && step == learned + evaluated - 1 ? cells : step / 2 % 2;
  }
  std::uint64_t reward(std::uint64_t) override { return 1; }
  void counts_shown(const OpenedCounts& counts) override { shown_ = counts; }
  [[nodiscard]] CountQuestion count_question() override { return question; }
  void question_answered(bool is_so) override { answer = is_so; }
  void draw_coins(std::span<std::uint64_t> out) override { std::fill(out.begin(), out.end(), node_ + 1); }
  void draw_noise(std::span<std::uint64_t> out) override {
    for (std::size_t cell = 0; cell < out.size(); ++cell) out[cell] = 1000 * (node_ + 1) + cell;
  }
  [[nodiscard]] const std::optional<OpenedCounts>& shown() const { return shown_; }

  CountQuestion question;
  std::optional<bool> answer;

  static constexpr std::uint64_t learned = 100;
  static constexpr std::uint64_t evaluated = 1200;

 private:
  std::size_t node_;
  bool cheats_;
  std::optional<OpenedCounts> shown_;
};

struct FixedRun {
  BanditPlan plan;
  std::vector<std::unique_ptr<FixedRole>> roles;

  explicit FixedRun(std::size_t owners, std::optional<CountQuestion> asked = {}, bool by_best = false)
      : plan(planned(owners, asked.has_value(), by_best)), question(std::move(asked)) {}
  auto simulated(bool actor_cheats) {
    const Topology topology = plan.parameters.topology();
    return protocols::simulate(topology, [&, topology](Party& party) {
      const std::size_t node = roles.size();
      roles.push_back(std::make_unique<FixedRole>(node, actor_cheats && node == actor_of(topology)));
      if (question && node == actor_of(topology)) roles.back()->question = *question;
      return private_bandit(party, plan, *roles.back());
    });
  }
  [[nodiscard]] const std::optional<OpenedCounts>& shown() const {
    return roles.at(actor_of(plan.parameters.topology()))->shown();
  }

  std::optional<CountQuestion> question;

 private:
  static BanditPlan planned(std::size_t owners, bool in_one_bit, bool by_best) {
    BanditParameters p;
    p.columns.assign(owners > 0 ? 1 + owners : 2, 1);
    p.owners = owners;
    p.computing_only = owners > 0 ? 1 : 0;
    p.arms = 2;
    p.steps = FixedRole::learned + FixedRole::evaluated;
    p.max_norm = 2;
    p.batch = 50;
    p.task = BanditTask::evaluate;
    p.held_out = {FixedRole::evaluated, cells, in_one_bit, by_best};
    return plan_bandit(p);
  }
};

TEST(EvaluationNoise, IsThatOfEveryPartyAndOwner) {
  for (const std::size_t owners : {0, 2}) {
    FixedRun fixed(owners);
    const auto run = fixed.simulated(false);
    ASSERT_TRUE(fixed.shown());
    const Topology topology = fixed.plan.parameters.topology();
    std::int64_t noise = 0;
    for (NodeId node = 0; node < topology.parties_and_owners(); ++node) noise += 1000 * (node + 1);
    const auto adders = static_cast<std::int64_t>(topology.parties_and_owners());
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::int64_t agreed = cell < 2 ? FixedRole::evaluated / 4 : 0;
      EXPECT_EQ(fixed.shown()->agreed.at(cell), noise + adders * static_cast<std::int64_t>(cell) + agreed) << cell;
    }
    EXPECT_EQ(run.ledger.of(counts_phase).rounds, owners > 0 ? 3u : 2u);
  }
}

TEST(EvaluationInOneBit, AnswersTheQuestionOfTheActor) {
  for (const std::size_t owners : {0, 2}) {
    const double adders = owners > 0 ? 4 : 2;
    const double noise = owners > 0 ? 10'000 : 3'000;
    const auto count = [&](std::size_t cell) {
      return noise + adders * static_cast<double>(cell) + (cell < 2 ? FixedRole::evaluated / 4. : 0.);
    };
    std::vector<double> factors(cells, 0);
    factors[0] = 1;
    factors[1] = -1;
    factors[5] = 1. / 30;
    const double sum = count(0) - count(1) + count(5) / 30;
    for (const double beyond : {-1000., -.001, .001, 1000.}) {
      FixedRun fixed(owners, CountQuestion{factors, sum + beyond});
      const auto run = fixed.simulated(false);
      const Topology topology = fixed.plan.parameters.topology();
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        EXPECT_FALSE(fixed.roles.at(node)->shown());
        EXPECT_EQ(fixed.roles.at(node)->answer.has_value(), node == actor_of(topology));
      }
      EXPECT_EQ(fixed.roles.at(actor_of(topology))->answer, beyond < 0) << beyond;
      EXPECT_EQ(run.ledger.of(counts_phase).rounds, owners > 0 ? 6u : 5u);
      EXPECT_EQ(EvaluationPlan::closing_rounds(fixed.plan.parameters), owners > 0 ? 6u : 5u);
      BanditSite quiet;
      const auto quiet_run = [&](Party& party) { return private_bandit(party, fixed.plan, quiet); };
      const Ledger planned = protocols::plan(topology, quiet_run);
      EXPECT_EQ(planned.total(), run.ledger.total());
    }
  }
}

// The number of events of cells 0 and 1 in which the model agrees. Every second event has arm 1, and every third event
// has the best arm of the play.
constexpr std::int64_t agreed_best = FixedRole::evaluated / 12;
constexpr std::int64_t agreed_otherwise = FixedRole::evaluated / 6;

TEST(EvaluationByBest, CountsTheEventsOfEachBitByThemselves) {
  for (const std::size_t owners : {0, 2}) {
    FixedRun fixed(owners, {}, true);
    const auto run = fixed.simulated(false);
    ASSERT_TRUE(fixed.shown());
    const OpenedCounts& shown = *fixed.shown();
    ASSERT_EQ(shown.agreed.size(), cells);
    ASSERT_EQ(shown.otherwise.size(), cells);
    const std::int64_t noise = owners > 0 ? 10'000 : 3'000;
    const std::int64_t adders = owners > 0 ? 4 : 2;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const auto at = static_cast<std::int64_t>(cell);
      EXPECT_EQ(shown.agreed[cell], noise + adders * at + (cell < 2 ? agreed_best : 0)) << cell;
      EXPECT_EQ(shown.otherwise[cell],
                noise + adders * (at + static_cast<std::int64_t>(cells)) + (cell < 2 ? agreed_otherwise : 0))
          << "each count has noise of its own: " << cell;
    }
    EXPECT_EQ(run.ledger.of(evaluate_phase).rounds, 2u * EvaluationPlan::rounds(fixed.plan.parameters));
  }
}

TEST(EvaluationByBest, CostsNoRoundAndFewBits) {
  const FixedRun plain(0);
  const FixedRun split(0, {}, true);
  const auto cost = [](const BanditPlan& plan) { return plan_costs(plan).of(evaluate_phase); };
  const Cost before = cost(plain.plan);
  const Cost after = cost(split.plan);
  EXPECT_EQ(after.rounds, before.rounds);
  // An event has two arms: 4 * 2 + 1 bits more. Each of the three values is packed into whole words, in two batches.
  const std::uint64_t bytes = FixedRole::evaluated * 9 / 8;
  EXPECT_GE(after.sent[0] - before.sent[0], bytes);
  EXPECT_LE(after.sent[0] - before.sent[0], bytes + 6 * 8);
}

TEST(EvaluationByBest, AnswersInOneBit) {
  std::vector<double> factors(cells, 0);
  std::vector<double> otherwise(cells, 0);
  factors[0] = .5;
  otherwise[1] = -1;
  otherwise[cells - 1] = 1. / 30;
  const auto noise = [](std::size_t count) { return 3000. + 2 * static_cast<double>(count); };
  const double sum = .5 * (noise(0) + agreed_best) - (noise(cells + 1) + agreed_otherwise) + noise(2 * cells - 1) / 30;
  for (const double beyond : {-.001, .001}) {
    FixedRun fixed(0, CountQuestion{factors, sum + beyond, otherwise}, true);
    const auto run = fixed.simulated(false);
    EXPECT_EQ(fixed.roles.at(actor_of(fixed.plan.parameters.topology()))->answer, beyond < 0);
    EXPECT_FALSE(fixed.shown());
    EXPECT_EQ(plan_costs(fixed.plan).total(), run.ledger.total());
  }
}

TEST(EvaluationChecks, RefuseAnActorThatBringsNoOneHots) {
  FixedRun fixed(0);
  EXPECT_THAT(error_of<ProtocolError>([&] { (void)fixed.simulated(true); }),
              AllOf(HasSubstr("no one-hots"), HasSubstr("nothing was counted")));
  EXPECT_FALSE(fixed.shown());
}

TEST(EvaluationPlans, NeedAThousandEvents) {
  const auto plan_of = [](std::uint64_t steps, std::uint64_t held_out, std::uint64_t before = 0,
                          std::size_t cells_of = 30, bool by_best = false) {
    BanditParameters p{.columns = {2, 2}, .arms = 3, .steps = steps};
    p.task = BanditTask::evaluate;
    p.held_out = {held_out, cells_of, false, by_best};
    p.events_before = before;
    return plan_bandit(p);
  };
  EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 999); }),
              AllOf(HasSubstr("--held-out: 999 events"), HasSubstr("fewer than 1000")));
  EXPECT_EQ(plan_of(5000, 1000).evaluation->evaluated, 1000u);
  EXPECT_EQ(plan_of(5000, 1000).evaluation->learned, 4000u);
  EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 5000); }), HasSubstr("the whole log is held out"));
  EXPECT_EQ(plan_of(5000, 5000, 10).evaluation->learned, 0u);
  for (const std::size_t wrong : {1, 65}) {
    EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 1000, 0, wrong); }),
                HasSubstr("--cells: from 2 to 64"));
  }
  EXPECT_EQ(plan_of(5000, 1000, 0, 32, true).evaluation->counts(), 64u);
  EXPECT_THAT(error_of<InputError>([&] { return plan_of(5000, 1000, 0, 33, true); }),
              AllOf(HasSubstr("--cells: from 2 to 32, not 33"), HasSubstr("split each cell")));
}

// The expected values were computed by hand. The log repeats three events with two arms 400 times, and all noise is 0.
TEST(Estimates, AreWhatTheirDefinitionsSay) {
  const TestFolder folder;
  constexpr int times = 400;
  std::string text = "arm,reward,propensity\n1,10,.5\n";
  LogWeights weights{.weights = {2}, .full_support = true};
  for (int i = 0; i < times; ++i) {
    text += "0,10,.5\n1,0,.5\n0,0,.6667\n";
    for (const double weight : {2., 2., 1.5}) weights.weights.push_back(weight);
  }
  const EventLog log = EventLog::read(folder.put("log.csv", text), {2, 10});
  const std::vector<std::uint64_t> rows = rows_in_turn(3 * times + 1, 3 * times, false);
  const EvaluatedLog evaluated{log, rows, 1, weights};
  const LogCells of_log = log_cells(log, rows, 1, weights, 30, [] { return .5; });
  EXPECT_EQ(of_log.weights, (std::vector{1.5, 2.}));
  EXPECT_EQ(of_log.rewards, (std::vector{0., 1.}));
  EXPECT_EQ(of_log.events(), (std::vector<std::uint64_t>{times, 0, times, times}));
  constexpr double tau = 4;
  const std::vector<PolicyValue> values = policy_values({3 * times, {times, 0, 0, times}}, evaluated, of_log, {tau, 3});
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].policy, "model");
  EXPECT_EQ(values[0].support, Support::shown);
  const double events = 3 * times;
  const auto half_of = [&](const std::vector<double>& of_cells, double mean, double squares, double noise,
                           double rows_of) {
    double largest = 0;
    double sum_2 = 0;
    double sum_4 = 0;
    for (const double k : of_cells) {
      largest = std::max(largest, k * k);
      sum_2 += k * k;
      sum_4 += k * k * k * k;
    }
    const double spread = squares - mean * mean + noise * std::sqrt(sum_4) / events + 2 * largest / events;
    return std::sqrt(4 * rows_of * spread / events + std::pow(std::log(20) / std::sqrt(2) * noise / events, 2) * sum_2);
  };
  const double weight = 3.5 / 3;
  EXPECT_NEAR(values[0].mean_weight->value, weight, 1e-9);
  EXPECT_NEAR(values[0].mean_weight->error, half_of({1.5, 1.5, 2, 2}, weight, (4 + 2.25) / 3, tau, 3) / 2, 1e-9);
  // The gain is the mean of weight times (reward - 1/3) over the three events. The weight is 0 in the second event,
  // because the model chooses another arm there. Rewards are in units of 10, and 1/3 is their mean.
  const double gain = (2 * 2. / 3 - 1.5 / 3) / 3;
  EXPECT_NEAR(values[0].value->value, 10 * (1. / 3 + gain), 1e-9);
  const double half = half_of({-.5, 1., -2. / 3, 4. / 3}, gain, (16. / 9 + .25) / 3, tau, 3);
  EXPECT_NEAR(values[0].value->high - values[0].value->value, 10 * half, 1e-9);
  EXPECT_NEAR(values[0].value->value - values[0].value->low, 10 * half, 1e-9);
  EXPECT_NEAR(values[0].effective_events, times * 3.5 * 3.5 / 6.25, 1e-9);
  EXPECT_NEAR(values[0].bounds->low, 10 * (2. / 3 - half_of({0, 1.5, 0, 2}, 2. / 3, 4. / 3, tau, 3)), 1e-9);
  EXPECT_NEAR(values[0].bounds->high, 10 * (1 - .5 + half_of({1.5, 0, 2, 0}, .5, 2.25 / 3, tau, 3)), 1e-9);
  // "Always arm 0" chooses the same arms as the model, so the log shows the value of "always arm 0" too.
  EXPECT_EQ(values[1].policy, "arm 0");
  EXPECT_NEAR(values[1].value->value, values[0].value->value, 1e-9);
  EXPECT_NEAR(values[1].value->high - values[1].value->value,
              10 * std::sqrt(12 / events * ((16. / 9 + .25) / 3 - gain * gain + 2 * 16. / 9 / events)), 1e-9);
  EXPECT_EQ(values[3].policy, "log");
  EXPECT_NEAR(values[3].value->value, 10. / 3, 1e-9);
  EXPECT_FALSE(values[3].mean_weight);
  std::vector<bool> agreements;
  for (int i = 0; i < times; ++i) agreements.insert(agreements.end(), {true, false, true});
  const PolicyValue twin = plaintext_values(agreements, evaluated, 3).front();
  EXPECT_NEAR(twin.value->low, values[1].value->low, 1e-9);
  EXPECT_NEAR(twin.bounds->high, values[1].bounds->high, 1e-9);
}

TEST(Estimates, OfAnArmThatWasNeverPlayedAreNone) {
  const TestFolder folder;
  const EventLog log = EventLog::read(folder.put("log.csv", "arm,reward,propensity\n0,1,1\n0,0,1\n"), {2, 1});
  const LogWeights weights{.weights = {1, 1}};
  const std::vector<std::uint64_t> rows{0, 1};
  const EvaluatedLog evaluated{log, rows, 0, weights};
  const LogCells of_log = log_cells(log, rows, 0, weights, 12, [] { return .5; });
  const std::vector<PolicyValue> values = policy_values({2, {0, 0}}, evaluated, of_log, {0, 1});
  EXPECT_EQ(values[0].support, Support::lacking);
  EXPECT_FALSE(values[0].value);
  EXPECT_EQ(values[0].bounds->low, 0);
  EXPECT_EQ(values[0].bounds->high, 1);
  EXPECT_EQ(values[2].support, Support::not_played);
  EXPECT_FALSE(values[2].value || values[2].bounds || values[2].mean_weight);
  EXPECT_EQ(values[2].effective_events, 0);
}

TEST(EvaluationNoise, IsRefusedWhereNothingCouldBeRead) {
  const LoggedWorld world(2, 5, 1500);
  const std::vector<std::uint64_t> rows = rows_in_turn(1500, 1000, false);
  const LogTurns turns = world.turns(rows, 500, cells);
  const EvaluatedLog evaluated{world.log, rows, 500, turns.weights};
  const auto refusal = [&](double epsilon, std::uint64_t rows_of_subject) {
    const CountPrivacy privacy{epsilon, rows_of_subject};
    return error_of<InputError>([&] {
      require_events(evaluated, turns.cells, noise_terms({privacy, privacy}));
      return 0;
    });
  };
  require_events(evaluated, turns.cells, noise_terms({{.5, 1}, {.5, 1}}));
  EXPECT_THAT(refusal(.1, 1), AllOf(HasSubstr("1000 events"), HasSubstr("weights up to 5"), HasSubstr("are needed")));
  EXPECT_THAT(refusal(.5, 10), HasSubstr("--account-epsilon"));
  // Both parties add noise to a count. The scale of each noise is 1 / epsilon = 2.
  EXPECT_NEAR(noise_terms({{.5, 1}, {.5, 1}}).tau, std::sqrt(2 * discrete_laplace_variance({2, 1})), 1e-9);
  EXPECT_EQ(noise_terms({{.5, 1}, {.5, 7}}).rows, 7u);
}

EventLog log_of(const std::string& rows, std::optional<std::size_t> arms = {}) {
  const TestFolder folder;
  return EventLog::read(folder.put("log.csv", "arm,reward,propensity\n" + rows), {.arms = arms});
}

TEST(LogCells, KeepWeightsAndRewardsOnTheAverage) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format("{},{},{}\n", i % 2, 3 * uniform(random) - 1, .01 + .9 * uniform(random));
  }
  const EventLog log = log_of(text);
  const std::vector<std::uint64_t> rows = rows_in_turn(log.rows(), log.rows(), false);
  std::vector<double> weights;
  for (const std::uint64_t row : rows) weights.push_back(1 / log.propensity(row));
  const LogWeights of_events{.weights = weights};
  for (const std::size_t most : {10, 15, 30, 64}) {
    const LogCells of_log = log_cells(log, rows, 0, of_events, most, [&] { return uniform(random); });
    EXPECT_LE(of_log.count(), most);
    EXPECT_LE(of_log.weights.size(), most_weight_levels);
    EXPECT_EQ(of_log.rewards.size(), reward_levels);
    EXPECT_TRUE(std::is_sorted(of_log.weights.begin(), of_log.weights.end()));
    double of_weights = 0;
    double of_rewards = 0;
    double spread = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t cell = of_log.of_event[i];
      of_weights += of_log.weight(cell) - weights[i];
      of_rewards += of_log.reward(cell) - log.reward(rows[i]);
      spread += std::pow(of_log.weight(cell) - weights[i], 2);
    }
    EXPECT_LE(std::abs(of_weights), 5 * std::sqrt(spread)) << most;
    EXPECT_LE(std::abs(of_rewards), 5 * .25 * std::sqrt(20'000)) << most;
  }
  EXPECT_THAT(error_of<InputError>([&] { return log_cells(log, rows, 0, of_events, 9, [] { return .5; }); }),
              HasSubstr("10 cells at least, not 9"));
}

TEST(LogCells, AreTheLogsOwnNumbersWhereTheseAreFew) {
  const auto of = [](const EventLog& log, const std::vector<double>& weights) {
    return log_cells(log, rows_in_turn(log.rows(), log.rows(), false), 0, LogWeights{.weights = weights}, 30,
                     [] { return .5; });
  };
  const LogCells few = of(log_of("0,0,.5\n1,1,.25\n0,1,.2\n"), {2, 4, 5});
  EXPECT_EQ(few.weights, (std::vector{2., 4., 5.}));
  EXPECT_EQ(few.of_event, (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(of(log_of("0,1,.5\n1,1,.5\n"), {2, 2}).rewards, (std::vector{0., 1.}));
  EXPECT_EQ(of(log_of("0,-.5,.5\n1,-.5,.5\n"), {2, 2}).rewards, (std::vector{-.5, 0.}));
  EXPECT_EQ(of(log_of("0,-.5,.5\n1,.5,.5\n"), {2, 2}).rewards, (std::vector{-.5, .5}));
  // The lowest level is the least weight, and the highest level is the largest weight. The ratio of neighbouring levels
  // is constant and at least 2. Only the ratio of the first two levels may be smaller.
  std::string text;
  std::vector<double> weights;
  for (int i = 1; i <= 100; ++i) {
    text += fmt::format("{},1,{}\n", i % 2, 1. / i);
    weights.push_back(i);
  }
  const std::vector<double> ladder = of(log_of(text), weights).weights;
  ASSERT_EQ(ladder.size(), most_weight_levels);
  EXPECT_EQ(ladder.front(), 1);
  EXPECT_EQ(ladder.back(), 100);
  for (std::size_t i = 1; i < ladder.size(); ++i) EXPECT_NEAR(ladder[i] / ladder[i - 1], std::pow(100, .2), 1e-9);
  weights.assign(100, 0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 2 + 3 * static_cast<double>(i) / 99;
  EXPECT_EQ(of(log_of(text), weights).weights, (std::vector{2., 2.5, 5.}));
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
