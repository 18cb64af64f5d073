// An evaluation in this process: its accounts when it ends early, and its result for a known policy.
#include "apps/bandit/run/local/in_process/evaluated_log.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "apps/bandit/run/log/estimates.h"
#include "apps/kit/account/account.h"
#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr std::size_t events = 2400;

// The right arm is that of the sign of party 0's feature. The log plays both arms in turn.
class EvaluationHereTest : public InFolder {
 protected:
  EvaluationHereTest() {
    std::string first = "a\n";
    std::string second = "b\n";
    std::string log = "arm,reward,propensity\n";
    for (std::size_t event = 0; event < events; ++event) {
      const std::size_t right = event / 2 % 2;
      const std::size_t arm = event % 2;
      first += right == 1 ? "0.5\n" : "-0.5\n";
      second += fmt::format("0.{}\n", event % 5 + 1);
      log += fmt::format("{},{},0.5\n", arm, arm == right ? 1 : 0);
    }
    given.options.parties = {folder.put("a.csv", first), folder.put("b.csv", second)};
    given.options.log = folder.put("log.csv", log);
    BanditSettings& run = given.options.run;
    run.task = BanditTask::evaluate;
    run.max_norm = 1;
    run.batch = 64;
    run.account_epsilon = 20;
    run.budget = 30;
    run.uncovered_learning = true;
    for (const char* name : {"one", "two"}) {
      Account::begin(folder.path() / name);
      given.files.push_back({folder.path() / name, {}});
    }
  }
  [[nodiscard]] double spent(const char* name) const { return Account(folder.path() / name).most_spent(); }
  [[nodiscard]] std::size_t entries(const char* name) const { return Account(folder.path() / name).entries().size(); }

  EvaluationHere given;
};

TEST_F(EvaluationHereTest, FindsTheValueOfAModelThatIsRight) {
  std::uint64_t ticks = 0;
  given.tick = [&] { ++ticks; };
  const EvaluatedHere evaluated = evaluate_here(given);
  const PolicyValue* const model = policy_of(evaluated.result.evaluation->policies, "model");
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->support, Support::shown) << model->mean_weight->value;
  EXPECT_NEAR(model->value->value, 1, .1);
  EXPECT_GT(model->value->high, .99);
  EXPECT_EQ(evaluated.result.evaluation->evaluated, events / 2);
  ASSERT_EQ(evaluated.charges.size(), 2u);
  EXPECT_EQ(evaluated.charges[0]->epsilon, 20);
  EXPECT_EQ(evaluated.charges[1]->budget, 30);
  EXPECT_EQ(evaluated.rows.size(), events);
  EXPECT_EQ(evaluated.weights, std::vector<double>(events, 2));
  EXPECT_TRUE(evaluated.warnings.empty());
  EXPECT_GT(ticks, 100u);
  EXPECT_EQ(spent("one"), 20);
}

TEST_F(EvaluationHereTest, ThatEndsBeforeNoiseCostsNothing) {
  given.tick = [] { throw std::runtime_error("stop"); };
  EXPECT_THROW((void)evaluate_here(given), std::runtime_error);
  for (const char* name : {"one", "two"}) {
    EXPECT_EQ(spent(name), 0);
    EXPECT_EQ(entries(name), 2u) << "a charge, and that it was taken back";
  }
  given.tick = {};
  EXPECT_EQ(evaluate_here(given).charges[0]->most_spent, 20);
}

TEST_F(EvaluationHereTest, ThatEndsAfterNoiseIsCharged) {
  std::uint64_t ticks = 0;
  given.tick = [&] { ++ticks; };
  given.files = {{folder.path() / "one", {}}, {}};
  given.options.run.budget = 100;
  (void)evaluate_here(given);
  std::uint64_t left = ticks;
  given.tick = [&] {
    if (--left == 0) throw std::runtime_error("stop");
  };
  EXPECT_THROW((void)evaluate_here(given), std::runtime_error);
  EXPECT_EQ(spent("one"), 40) << "the counts may have been seen";
}

TEST_F(EvaluationHereTest, IsRefusedBeforeAnybodyIsCharged) {
  given.options.run.budget = 19;
  EXPECT_THROW((void)evaluate_here(given), InputError);
  given.options.run.budget = 30;
  given.options.run.uncovered_learning = false;
  EXPECT_THROW((void)evaluate_here(given), InputError) << "nothing covers learned rows";
  given.options.run.uncovered_learning = true;
  given.options.run.held_out = .1;
  EXPECT_THROW((void)evaluate_here(given), InputError) << "240 events are too few";
  given.options.run.held_out = .5;
  given.files[1].account = given.files[0].account;
  EXPECT_THROW((void)evaluate_here(given), Error) << "two parties have one account";
  EXPECT_EQ(entries("one"), 0u);
  EXPECT_EQ(entries("two"), 0u);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
