// An evaluation in this process: its accounts when it ends early, and its result for a known policy.
#include "apps/bandit/run/local/in_process/evaluated_log.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "apps/bandit/run/log/estimates.h"
#include "apps/kit/account/account.h"
#include "apps/kit/files/best_bits.h"
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

// The log is of a service that played arm 0, its best arm, in three of four events, and arm 1 in the fourth. Only the
// parties know which arm was the best. The right arm changes every four events.
class EvaluationByBestTest : public InFolder {
 protected:
  EvaluationByBestTest() {
    std::string first = "a\n";
    std::string second = "b\n";
    std::string log = "arm,reward,best_probability,least_probability\n";
    BestBits of_first{std::string(64, 'e'), {}};
    BestBits of_second = of_first;
    for (std::size_t event = 0; event < events; ++event) {
      const std::size_t right = event / 4 % 2;
      const std::size_t arm = event % 4 == 3 ? 1 : 0;
      first += right == 1 ? "0.5\n" : "-0.5\n";
      second += fmt::format("0.{}\n", event % 5 + 1);
      log += fmt::format("{},{},0.75,0.25\n", arm, arm == right ? 1 : 0);
      of_second.shares.push_back(event % 7 < 3 ? 1 : 0);
      of_first.shares.push_back(of_second.shares.back() ^ (arm == 0 ? 1 : 0));
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
    Account::begin(folder.path() / "one");
    given.files = {{folder.path() / "one", {}}, {}};
    put("a.csv", of_first);
    put("b.csv", of_second);
  }
  void put(const std::string& rows, const BestBits& bits) const {
    (void)folder.put(rows + ".best", best_bits_text(bits));
  }
  [[nodiscard]] std::string refusal() const {
    return message_of<InputError>(folder, [&] { (void)evaluate_here(given); });
  }

  EvaluationHere given;
};

TEST_F(EvaluationByBestTest, FindsTheValueOfAModelThatIsRight) {
  const EvaluatedHere evaluated = evaluate_here(given);
  const Evaluation& evaluation = *evaluated.result.evaluation;
  const PolicyValue* const model = policy_of(evaluation.policies, "model");
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->support, Support::shown) << model->mean_weight->value;
  EXPECT_NEAR(model->value->value, 1, .1);
  EXPECT_NEAR(model->mean_weight->value, 1, .05);
  for (const char* arm : {"arm 0", "arm 1"}) {
    EXPECT_EQ(policy_of(evaluation.policies, arm)->support, Support::unknown_weights) << arm;
    EXPECT_FALSE(policy_of(evaluation.policies, arm)->value);
  }
  EXPECT_NEAR(policy_of(evaluation.policies, "log")->value->value, .5, 1e-9);
  ASSERT_EQ(evaluation.cells.size(), 2u);
  EXPECT_NEAR(evaluation.cells[1].weight, 4. / 3, 1e-9);
  EXPECT_EQ(evaluation.cells[1].weight_otherwise, 4);
  EXPECT_NEAR(static_cast<double>(evaluation.cells[1].agreed), 450, 20);
  EXPECT_NEAR(static_cast<double>(*evaluation.cells[1].agreed_otherwise), 150, 20);
  const Evaluation& exact = *evaluated.result.plaintext_evaluation;
  EXPECT_NEAR(policy_of(exact.policies, "model")->value->value, 1, .05);
  EXPECT_NEAR(policy_of(exact.policies, "arm 0")->value->value, .5, 1e-9) << "this person has all shares";
  EXPECT_EQ(evaluated.charges[0]->epsilon, 20) << "the noise doubles, not the charge";
}

TEST_F(EvaluationByBestTest, AnswersInOneBit) {
  given.options.run.in_one_bit = true;
  const EvaluatedHere evaluated = evaluate_here(given);
  ASSERT_TRUE(evaluated.result.evaluation->answer);
  EXPECT_TRUE(evaluated.result.evaluation->answer->model_beats_log);
  EXPECT_FALSE(evaluated.result.evaluation->answer->at_worst);
  EXPECT_TRUE(evaluated.result.evaluation->cells.empty());
}

TEST_F(EvaluationByBestTest, NeedsTheSharesOfAllParties) {
  const BestBits ours = *read_best_bits(given.options.parties[0]);
  const std::filesystem::path other = best_bits_file_of(given.options.parties[1]);
  put("b.csv", {std::string(64, 'f'), ours.shares});
  EXPECT_THAT(refusal(), StartsWith("b.csv.best: its shares are of other bits than those of a.csv.best"));
  put("b.csv", {ours.id, {1, 0}});
  EXPECT_THAT(refusal(), StartsWith("b.csv.best: 2 shares, but the data has 2400 rows"));
  std::filesystem::remove(other);
  EXPECT_THAT(refusal(), StartsWith("b.csv.best: is missing, and a.csv.best is there"));
  std::filesystem::rename(best_bits_file_of(given.options.parties[0]), other);
  EXPECT_THAT(refusal(), StartsWith("a.csv.best: is missing, and b.csv.best is there"));
  std::filesystem::remove(other);
  EXPECT_THAT(refusal(), StartsWith("log.csv: 'best_probability' and 'least_probability' need the parties' shares"));
  EXPECT_EQ(Account(folder.path() / "one").entries().size(), 0u);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
