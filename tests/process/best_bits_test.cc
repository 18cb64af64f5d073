// Roles that evaluate the log of a service: its probabilities depend on bits that the parties have in shares.
#include <fmt/format.h>

#include <random>

#include "apps/bandit/run/result/role_report.h"
#include "apps/kit/deploy/finding.h"
#include "apps/kit/files/best_bits.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using apps::BestBits;
using apps::bandit::BanditTask;
using apps::bandit::run::read_role_report;
using apps::bandit::run::Support;

// A service with two arms has played arm 0, its best arm, in three of four events. Arm 0 always earns 1.
class RolesWithBestBits : public InFolder {
 protected:
  static constexpr int events = 1400;
  static constexpr std::uint64_t evaluated = 1120;

  [[nodiscard]] RunPlan evaluation(const std::array<std::string, 2>& ids) const {
    RunPlan plans = plan_run(folder, {.steps = events});
    std::mt19937_64 random(3);
    std::array<BestBits, 2> bits{BestBits{ids[0], {}}, BestBits{ids[1], {}}};
    std::string log = "arm,reward,best_probability,least_probability\n";
    for (int t = 0; t < events; ++t) {
      const int arm = t % 4 == 3 ? 1 : 0;
      log += fmt::format("{},{},0.75,0.25\n", arm, 1 - arm);
      bits[1].shares.push_back(random() % 2);
      bits[0].shares.push_back(bits[1].shares.back() ^ (1 - arm));
    }
    for (auto& [key, role] : plans) {
      auto& config = role.config;
      config.task = BanditTask::evaluate;
      config.held_out = .8;
      config.batch = 70;
      config.environment.clear();
      if (key == "actor") config.log = folder.write("log.csv", log);
      if (config.data.empty()) continue;
      config.data = folder.write(key + ".csv", rows(config.id));
      (void)folder.write(key + ".csv.best", best_bits_text(bits.at(config.id)));
      config.account_epsilon = 5;
      config.uncovered_learning = true;
    }
    return plans;
  }

 private:
  static std::string rows(std::size_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(.2, .5);
    std::string text = "x,y\n";
    for (int t = 0; t < events; ++t) text += fmt::format("{:.6f},{:.6f}\n", uniform(random), uniform(random));
    return text;
  }
};

TEST_F(RolesWithBestBits, ShowTheValueOfTheModelToTheActor) {
  const RunPlan plans = evaluation({std::string(64, 'a'), std::string(64, 'a')});
  expect_ends(run(folder, plans), 0);
  const auto evaluation = read_role_report(plans.at("actor").config.report).evaluation;
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->evaluated, evaluated);
  // The model plays arm 0 in all events, which was the best arm of the service whenever it was logged.
  ASSERT_EQ(evaluation->cells.size(), 2u);
  EXPECT_NEAR(static_cast<double>(evaluation->cells[1].agreed), .75 * evaluated, 25);
  EXPECT_NEAR(static_cast<double>(evaluation->cells[1].agreed_otherwise.value()), 0, 25);
  const json planned = json::parse(
      succeed(folder, {"plan", "--columns", "2,2", "--arms", "2", "--steps", "1400", "--max-norm", "1", "--task",
                       "evaluate", "--held-out", ".8", "--batch", "70", "--kept-best", "--json"}));
  EXPECT_EQ(planned.at("evaluation").at("counts"), 24);
  std::uint64_t most = 0;
  for (const char* key : {"party_0", "party_1"}) {
    const auto report = read_role_report(plans.at(key).config.report);
    most = std::max(most, report.bytes_sent);
    EXPECT_EQ(planned.at("total").at("rounds"), report.rounds);
    EXPECT_EQ(report.planned_bytes_sent, report.bytes_sent);
  }
  EXPECT_EQ(planned.at("total").at("bytes"), most);
  EXPECT_EQ(planned.at("total").at("dealt_bytes"), read_role_report(plans.at("dealer").config.report).dealt_bytes);
  const auto& model = evaluation->policies.front();
  EXPECT_EQ(model.support, Support::shown);
  ASSERT_TRUE(model.value);
  EXPECT_NEAR(model.value->value, 1, .1);
  EXPECT_EQ(evaluation->policies[1].support, Support::unknown_weights);
}

// `sotto doctor` examines a role's own files before the role meets others.
TEST_F(RolesWithBestBits, AreExaminedBeforeARun) {
  const RunPlan plans = evaluation({std::string(64, 'a'), std::string(64, 'a')});
  const auto findings = [&](const std::string& key) {
    std::string text;
    for (const auto& finding : plans.at(key).config.check_files()) text += finding.text + "\n";
    return text;
  };
  EXPECT_THAT(findings("party_0"), HasSubstr("1400 rows, 2 columns, shares of best arms"));
  EXPECT_THAT(findings("actor"), HasSubstr("1400 events, rewards divided by 1, probabilities of best and other arms"));
  (void)folder.write("party_0.csv.best", "best " + std::string(64, 'a') + "\n1\n");
  EXPECT_THAT(findings("party_0"), HasSubstr("party_0.csv.best: 1 share, but the data has 1400 rows"));
}

TEST_F(RolesWithBestBits, RefuseSharesOfOtherBits) {
  const Ends ends = run(folder, evaluation({std::string(64, 'a'), std::string(64, 'b')}));
  expect_ends(ends, 5, "the shares of best arms of party 0 and party 1 are of different bits");
}

}  // namespace
}  // namespace sotto::testing
