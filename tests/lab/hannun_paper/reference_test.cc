#include "apps/kit/files/json.h"
#include "bench/lab/experiment.h"
#include "bench/lab/hannun_paper/hannun.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {
namespace {

// Runs for figures 1 and 2 whose results are the reference's results plus `off`.
HannunPaperRuns runs_at_reference(bool is_mnist, double off) {
  HannunPaperRuns runs;
  runs.is_mnist = is_mnist;
  runs.data = is_mnist ? "MNIST" : "digits";
  const HannunReference& reference = hannun_reference(is_mnist);
  runs.options.seeds = reference.seeds;
  runs.marks = reference.steps;
  runs.rows = reference.steps.back();
  for (const HannunRewardReference& known : reference.rewards) {
    std::vector<double> run = known.means;
    for (double& reward : run) reward += off;
    HannunRewards rewards{known.epsilon, std::vector<std::vector<double>>(reference.seeds, run)};
    rewards.private_run.emplace();
    rewards.private_run->curve = {{runs.rows, known.means.back() + off, {}}};
    runs.rewards.push_back(rewards);
  }
  return runs;
}

void add_rest(HannunPaperRuns& runs) {
  runs.plain_rewards = {.7675, .7675, .7675};
  for (const NewtonStart start : {NewtonStart::published, NewtonStart::linear}) {
    runs.newton.push_back({{20, FixedRounding::unbiased, start, 3}, {.7675, .7675}, {0, 0}});
  }
  runs.precision.push_back({{20, FixedRounding::published, NewtonStart::none, 0}, {.7685}, {1}});
  runs.precision.push_back({{26, FixedRounding::published, NewtonStart::published, 7}, {.1}, {9'000'000}});
  runs.precision.push_back({{20, FixedRounding::published, NewtonStart::published, 7}, {.765}, {1}});
  runs.precision.push_back({{24, FixedRounding::published, NewtonStart::published, 7}, {.2}, {6'000'000}});
  runs.private_bits.emplace_back().curve = {{runs.rows, .7675, {}}};
  runs.attack_marks = {500};
  runs.held_out = 10'000;
  runs.options.attacks = 10;
  runs.attacks.push_back(
      {.1, std::vector(10, std::vector{MembershipAdvantage{.022, .04}}), {MembershipAdvantage{.02, .03}}});
  runs.arms.push_back({5, .247, .104, {{0, {{.243}, {.243}, {.243}}}, {.1, {{.230}, {.230}, {.230}}}}});
  runs.step_times = {{2, 10, 1000, 150, 1}, {3, 10, 1000, 250, 1}, {2, 20, 500, 200, 2}};
  runs.operations = {{"multiplication", "2", 380, 2, 40, .02}, {"argmax", "O(P + log2 A)", 34'000, 12, 500, .1}};
}

std::size_t failed_of(const std::vector<Check>& checks) {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const Check& check) { return !check.passed; }));
}

TEST(HannunReference, TakesItsOwnFiguresForWithinAndOthersNot) {
  for (const bool is_mnist : {true, false}) {
    const std::size_t steps = hannun_reference(is_mnist).steps.size();
    const auto same = check_hannun(runs_at_reference(is_mnist, 0));
    EXPECT_EQ(same.size(), 8 * (steps + 1));
    EXPECT_TRUE(all_passed(same));
  }
  // Two means over 10 runs of 60,000 steps differ by less than .05 by chance, so checks of means with this offset must
  // fail.
  const auto off = check_hannun(runs_at_reference(true, .05));
  EXPECT_GE(failed_of(off), 8 * 4U);
}

TEST(HannunReference, ComparesEveryOtherFigure) {
  HannunPaperRuns runs = runs_at_reference(true, 0);
  const std::size_t rewards = check_hannun(runs).size();
  add_rest(runs);
  const auto checks = check_hannun(runs);
  EXPECT_TRUE(all_passed(checks));
  EXPECT_EQ(checks.size() - rewards, 2U + 3 + 2 + 2 + 1 + 2 + 2 + 1);
  runs.newton.front().rewards = {.72, .72};
  runs.precision.front().rewards = {.6};
  runs.precision[1].rewards = {.76};
  runs.precision[3].rewards = {.76};
  runs.private_bits.front().curve.front().average_reward = .7;
  runs.attacks.front().runs = std::vector(10, std::vector{MembershipAdvantage{.1, .1}});
  runs.arms.front().best = .3;
  runs.operations.front().rounds = 3;
  EXPECT_EQ(failed_of(check_hannun(runs)), 8U);
}

TEST(HannunReference, LeavesOutWhatWasNotPlayedOrIsRefused) {
  HannunPaperRuns runs;
  EXPECT_TRUE(check_hannun(runs).empty());
  EXPECT_THAT(hannun_paper(runs).verdict, HasSubstr("Nothing was compared"));
  runs.precision.push_back({{20, FixedRounding::published, NewtonStart::published, 7}, {.765}, {1}});
  runs.precision.push_back({{24, FixedRounding::published, NewtonStart::published, 7}, {.2}, {6'000'000}});
  runs.private_bits.emplace_back();
  runs.private_bits.back().refused = "too long";
  EXPECT_TRUE(check_hannun(runs).empty());
}

Experiment whole_result() {
  HannunPaperRuns runs = runs_at_reference(true, 0);
  add_rest(runs);
  Experiment result = hannun_paper(runs);
  result.provenance.cpu = "<&>";
  return result;
}

TEST(HannunPaper, PageIsSelfContainedAndHasEveryFigure) {
  const Experiment result = whole_result();
  const std::string html = report_html(result);
  for (int figure = 1; figure <= 8; ++figure) EXPECT_THAT(html, HasSubstr(">Figure " + std::to_string(figure) + "<"));
  EXPECT_THAT(html, AllOf(HasSubstr("Table 1"), HasSubstr("&lt;&amp;&gt;"), HasSubstr("60,000 training images")));
  for (const char* word : {"<script", "http://", "https://", ">nan", "\"nan"}) EXPECT_THAT(html, Not(HasSubstr(word)));
  EXPECT_EQ(result.tables.size(), 8U);
}

TEST(HannunPaper, JsonHasEveryNumber) {
  const auto json = to_json(whole_result());
  EXPECT_EQ(json["all_passed"], true);
  EXPECT_EQ(json["rewards"].size(), 8U);
  EXPECT_EQ(json["rewards"][0]["runs"].size(), 10U);
  EXPECT_EQ(json["precision"][1]["failures"][0], 9'000'000);
  EXPECT_EQ(json["tables"]["rewards"][1]["epsilon"], .001);
  EXPECT_EQ(json["tables"]["times"].size(), 3U);
}

TEST(HannunPaper, AFigureThatIsOffIsExitCodeOneAndIsWrittenAllTheSame) {
  const TestFolder folder;
  Experiment result = whole_result();
  EXPECT_NO_THROW(publish(result, folder.path() / "fine", true));
  result.checks.front().passed = false;
  try {
    publish(result, folder.path() / "off", true);
    FAIL();
  } catch (const FailedRun& error) {
    EXPECT_EQ(static_cast<int>(error.exit_code()), 1);
    EXPECT_EQ(error.what(), result.verdict);
    EXPECT_EQ(error.result()["all_passed"], false);
  }
  EXPECT_TRUE(fs::exists(folder.path() / "off" / "run.json"));
  EXPECT_TRUE(fs::exists(folder.path() / "off" / "report.html"));
}

TEST(HannunPaper, PlaysTheDigitsWhereThereIsNoMnist) {
  HannunPaperOptions options;
  options.figures = {"8"};
  options.seeds = 2;
  options.quick = true;
  const HannunPaperRuns runs = play_hannun_paper(options, Runner([](const std::string&) {}, not_interrupted));
  EXPECT_EQ(runs.data, "digits");
  EXPECT_EQ(runs.rows, 1797U);
  EXPECT_EQ(runs.newton.size(), 10U);
  EXPECT_TRUE(runs.rewards.empty() && runs.arms.empty() && runs.precision.empty());
  for (const HannunFixedPoint& cell : runs.newton) EXPECT_GT(mean_and_sd(cell.rewards).mean, .5);
  EXPECT_THROW((void)play_hannun_paper(options, Runner([](const std::string&) {}, always_interrupted)), Interrupted);
}

TEST(HannunPaper, RefusesWhatItCannotPlay) {
  const auto refused = [](HannunPaperOptions options) {
    const Runner runner([](const std::string&) {}, not_interrupted);
    return error_of<InputError>([&] { return play_hannun_paper(options, runner).rows; });
  };
  HannunPaperOptions options;
  options.seeds = 0;
  EXPECT_THAT(refused(options), HasSubstr("--seeds"));
  options = {};
  options.attacks = 0;
  EXPECT_THAT(refused(options), HasSubstr("--attacks"));
  options = {};
  options.figures = {"9"};
  EXPECT_THAT(refused(options), HasSubstr("--figure"));
  options = {};
  options.mnist = "no-such-folder";
  EXPECT_THAT(refused(options), HasSubstr("no-such-folder"));
  EXPECT_FALSE(holds_mnist("no-such-folder"));
}

TEST(HannunData, DigitsHaveNormOneAndTenClasses) {
  const HannunData data = load_hannun_data(std::nullopt);
  EXPECT_FALSE(data.is_mnist);
  EXPECT_EQ(data.held_out.rows, 0U);
  ASSERT_EQ(data.played.rows, 1797U);
  for (const std::size_t row : {0U, 900U, 1796U}) {
    double square = 0;
    for (const double value : data.played.context(row)) square += value * value;
    EXPECT_NEAR(square, 1, 1e-12);
  }
  EXPECT_EQ(*std::max_element(data.played.labels.begin(), data.played.labels.end()), 9U);
}

}  // namespace
}  // namespace sotto::apps::lab
