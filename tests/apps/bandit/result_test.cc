
#include "sotto/apps/bandit/result.h"
#include "sotto/apps/bandit/randomness_account.h"
#include "sotto/apps/bandit/views.h"
#include "sotto/apps/kit/files/json.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/report/publish.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

// The result of a run of two steps, which the tests change.
BanditResult small_result() {
  BanditResult result;
  result.version = "0.1.0";
  result.command = "sotto bandit --party a.csv --party b.csv --environment l.csv";
  result.steps = 2;
  result.arms = 10;
  result.features = 3;
  result.parties = 2;
  result.epsilon = .1;
  result.eta_per_action = eta_per_action(10, .1);
  result.eta_composed = eta_composed(10, .1, 2);
  result.inputs = {{"party 0", "a.csv", 2, 1}, {"party 1", "b.csv", 1, .5}};
  result.average_reward = .5;
  result.reward_curve = {{1, 0, {}}, {2, .5, {}}};
  result.plaintext_average_reward = 1;
  result.plaintext_curve = {{1, 1, {}}, {2, 1, {}}};
  result.rounds_per_step = 7;
  result.bytes_per_step = 30'412;
  result.dealt_bytes_per_step = 78'900;
  result.online_seconds = .25;
  result.dealer_seconds = .125;
  result.seconds_per_step = 81.34e-6;
  result.phases = {{"setup", .1, 0, 0, 0}, {"online", .25, 14, 60'000, 160'000}};
  result.step_rounds = {{1, {"share contexts", "W b"}, 400, {}}, {2, {"scores"}, 80, 1e-6}};
  result.roles = {{"party 0", .25, 8'000'000}, {"dealer", .125, 6'000'000}};
  return result;
}

void make_failed(BanditResult& result, const std::string& error) {
  result.status = RunStatus::failed;
  result.error = error;
}

void make_unbounded(BanditResult& result) {
  result.epsilon = 0;
  result.eta_per_action = eta_per_action(10, 0);
  result.eta_composed = eta_composed(10, 0, 2);
}

void make_emulated(BanditResult& result) {
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 100'000'000};
  result.link_model = LinkModel{.14, .002, 0, .0004, .143};
}

void make_batches(BanditResult& result) {
  BanditParameters parameters;
  parameters.columns = {2, 1};
  parameters.arms = result.arms;
  parameters.steps = 60'000;
  parameters.batch = result.batch = 256;
  parameters.reward_lag = result.reward_lag = 1000;
  result.batches = plan_bandit(parameters).batches;
  result.rounds_per_step = 18.0 / 256;
  result.events_per_second = 12'345;
  result.dealer_seconds_per_event = 35e-6;
  for (RoundCost& round : result.step_rounds) round.phase = "decide";
}

// A twin that has followed one step of two arms.
PlaintextComparison small_comparison() {
  PlaintextFollower follower(1, 2, 1, .1);
  follower.decided(std::vector<double>{1}, 1);
  return follower.comparison();
}

TEST(ResultJson, HasEveryFieldOfACompleteRun) {
  const nlohmann::json object = to_json(small_result());
  for (const std::string& name :
       split("status steps arms features parties epsilon eta_per_action eta_composed average_reward reward_curve "
             "plaintext_average_reward plaintext_curve rounds_per_step bytes_per_step dealt_bytes_per_step "
             "online_seconds dealer_seconds seconds_per_step phases step_rounds roles views version command max_norm "
             "fraction_bits comparison_bits reward_bits repeats insecure",
             ' ')) {
    EXPECT_TRUE(object.contains(name)) << name;
  }
  EXPECT_EQ(object["status"], "complete");
  EXPECT_EQ(object["rounds_per_step"], 7);
  EXPECT_NEAR(object["eta_per_action"]["exact"].get<double>(), 4.51, .005);
  EXPECT_NEAR(object["eta_per_action"]["paper"].get<double>(), 4.61, .005);
  EXPECT_DOUBLE_EQ(object["eta_composed"]["basic"].get<double>(), 2 * object["eta_per_action"]["exact"].get<double>());
  EXPECT_EQ(object["eta_composed"]["delta"], 1e-6);
  EXPECT_EQ(object["eta_composed"]["bound"], "finite");
  EXPECT_EQ(object["reward_curve"][1], (nlohmann::json{{"step", 2}, {"average_reward", .5}}));
  EXPECT_EQ(object["inputs"][1]["features"], 1);
  EXPECT_EQ(object["step_rounds"][0]["labels"][1], "W b");
  EXPECT_FALSE(object["step_rounds"][0].contains("seconds"));
  EXPECT_EQ(object["phases"][1]["dealt_bytes"], 160'000);
  EXPECT_EQ(object["roles"][1],
            (nlohmann::json{{"role", "dealer"}, {"cpu_seconds", .125}, {"peak_memory_bytes", 6'000'000}}));
  for (const char* name : {"error", "weights", "inverse_matrices", "compare_plaintext", "runs", "average_reward_sd"}) {
    EXPECT_FALSE(object.contains(name)) << name;
  }
}

TEST(ResultJson, SaysUnboundedAtEpsilonZero) {
  BanditResult result = small_result();
  make_unbounded(result);
  const nlohmann::json object = to_json(result);
  EXPECT_TRUE(object["eta_per_action"]["exact"].is_null());
  EXPECT_TRUE(object["eta_per_action"]["paper"].is_null());
  EXPECT_TRUE(object["eta_composed"]["basic"].is_null());
  EXPECT_TRUE(object["eta_composed"]["optimal"].is_null());
  EXPECT_EQ(object["eta_composed"]["bound"], "unbounded");
}

TEST(ResultJson, AFailedRunClaimsNoFigures) {
  BanditResult result;
  make_failed(result, "party 1: connection lost in round 7");
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object["status"], "failed");
  EXPECT_EQ(object["error"], "party 1: connection lost in round 7");
  EXPECT_TRUE(object["average_reward"].is_null());
  EXPECT_TRUE(object["reward_curve"].empty());
}

TEST(ResultJson, HoldsTheRevealedModelAndTheComparison) {
  BanditResult result = small_result();
  result.weights = Matrix{{.5, 0, 0}};
  result.inverse_matrices = std::vector<Matrix>{{{1, 0}, {0, 1}}};
  result.compare_plaintext = small_comparison();
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object["weights"][0][0], .5);
  EXPECT_EQ(object["inverse_matrices"][0][1][1], 1);
  EXPECT_EQ(object["compare_plaintext"]["agreement"], 1);
  EXPECT_TRUE(object["compare_plaintext"]["largest_weight_difference"].is_null());
}

TEST(AverageResults, GivesMeanAndSampleDeviationOfEachScalar) {
  BanditResult one = small_result();
  BanditResult two = small_result();
  two.average_reward = .7;
  two.reward_curve[1].average_reward = .7;
  two.online_seconds = .35;
  two.phases[1].seconds = .35;
  two.plaintext_average_reward.reset();
  two.roles[0].cpu_seconds = .75;
  two.roles[0].peak_memory_bytes = 9'000'000;
  one.weights = Matrix{{1}};
  two.weights = Matrix{{2}};
  const nlohmann::json object = to_json(average(std::vector{one, two}));
  EXPECT_EQ(object["repeats"], 2);
  EXPECT_DOUBLE_EQ(object["average_reward"].get<double>(), .6);
  EXPECT_NEAR(object["average_reward_sd"].get<double>(), .2 / std::sqrt(2), 1e-12);
  EXPECT_DOUBLE_EQ(object["online_seconds"].get<double>(), .3);
  EXPECT_EQ(object["rounds_per_step_sd"], 0);
  EXPECT_EQ(object["plaintext_average_reward"], 1);
  EXPECT_DOUBLE_EQ(object["reward_curve"][1]["average_reward"].get<double>(), .6);
  EXPECT_EQ(object["roles"][0]["cpu_seconds"], .5);
  EXPECT_EQ(object["roles"][0]["peak_memory_bytes"], 9'000'000);
  EXPECT_EQ(object["roles"][1]["peak_memory_bytes"], 6'000'000);
  EXPECT_TRUE(object["reward_curve"][1].contains("average_reward_sd"));
  EXPECT_DOUBLE_EQ(object["phases"][1]["seconds"].get<double>(), .3);
  EXPECT_EQ(object["runs"].size(), 2u);
  EXPECT_EQ(object["runs"][1]["average_reward"], .7);
  EXPECT_EQ(object["weights"][0][0], 1);
}

TEST(ResultJson, SaysWhichLinksWereEmulated) {
  BanditResult result;
  EXPECT_FALSE(to_json(result).contains("link"));
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 0};
  EXPECT_EQ(to_json(result).at("link").at("delay_seconds"), 0.02);
  EXPECT_TRUE(to_json(result).at("link").at("emulated").get<bool>());
  EXPECT_TRUE(to_json(result).at("link").at("bits_per_second").is_null());
  EXPECT_FALSE(to_json(result).at("link").contains("model"));
  result.link_model = LinkModel{1, .5, .25, .25, 4};
  BanditResult other = result;
  other.link_model->measured = 6;
  const nlohmann::json model = to_json(average(std::vector{result, other})).at("link").at("model");
  EXPECT_EQ(model.at("seconds_per_step"), 2.0);
  EXPECT_EQ(model.at("measured_seconds_per_step"), 5.0);
  EXPECT_NEAR(model.at("error_percent").get<double>(), -60, 1e-9);
}

TEST(ResultJson, HasTheWidthsAndTheFiguresOfBatches) {
  BanditResult result = small_result();
  const nlohmann::json single = to_json(result);
  EXPECT_EQ(single.at("batch"), 1);
  EXPECT_EQ(single.at("reward_lag"), 0);
  EXPECT_FALSE(single.contains("batches"));
  EXPECT_EQ(single.at("sent_bytes_per_event"), single.at("bytes_per_step"));
  EXPECT_FALSE(single.at("step_rounds").at(0).contains("phase"));
  make_batches(result);
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object.at("batch"), 256);
  EXPECT_EQ(object.at("reward_lag"), 1000);
  EXPECT_EQ(object.at("batches").at("learn_rounds"), 13);
  EXPECT_EQ(object.at("batches").at("weight_bits"), 20);
  EXPECT_EQ(object.at("batches").at("table_bits"), 12);
  EXPECT_EQ(object.at("events_per_second"), 12'345);
  EXPECT_EQ(object.at("dealer_seconds_per_event"), 35e-6);
  EXPECT_EQ(object.at("step_rounds").at(0).at("phase"), "decide");
}

TEST(AverageResults, OneFailureFailsAll) {
  BanditResult failed;
  make_failed(failed, "dealer: lost");
  const BanditResult result = average(std::vector{small_result(), failed});
  EXPECT_EQ(result.status, RunStatus::failed);
  EXPECT_EQ(*result.error, "dealer: lost");
  EXPECT_THROW(average({}), std::invalid_argument);
}

TEST(BanditViews, EveryRoleHasOne) {
  const auto views = bandit_views({{"a.csv", "b.csv"}, 0, {}, true, true, false});
  ASSERT_EQ(views.size(), 5u);
  EXPECT_THAT(views[0].never_sees, AllOf(::testing::Contains("the model"), ::testing::Contains("the arm")));
  EXPECT_EQ(views[4].role, "launcher of this local simulation");
  const auto separate = bandit_views({{"a.csv", "b.csv", "c.csv"}, 0, {}, false, false, true});
  ASSERT_EQ(separate.size(), 6u);
  EXPECT_THAT(separate[0].never_sees, Not(::testing::Contains("the model")));
  EXPECT_THAT(separate[4].never_sees, ::testing::Contains("the reward"));
  EXPECT_THAT(separate[5].never_sees, ::testing::Contains("the arm"));
}

BanditResult make_dealerless(BanditResult result) {
  result.parties = 3;
  result.preprocessing = RandomnessBy::replicated;
  result.randomness = randomness_account(result.preprocessing, bandit_topology(3, false, result.preprocessing));
  result.views = bandit_views({.party_names = {"a.csv", "b.csv", "c.csv"}, .preprocessing = result.preprocessing});
  result.dealt_bytes_per_step.reset();
  result.dealer_seconds.reset();
  result.preprocessing_rounds_per_step = 1.5;
  result.preprocessing_bytes_per_step = 70'000;
  result.preprocessing_seconds = .5;
  return result;
}

TEST(BanditViews, WithoutADealerThereIsNoneAndNobodyKnowsACoin) {
  const BanditResult result = make_dealerless(small_result());
  ASSERT_EQ(result.views.size(), 5u);
  for (const RoleView& view : result.views) EXPECT_NE(view.role, "dealer");
  EXPECT_THAT(result.views[0].never_sees, ::testing::Contains("whether the arm was explored"));
}

// Each mode's page says whose coins eta rests on, and promises no more than it holds.
TEST(ReportHtml, SaysWhoseCoinsItRestsOn) {
  BanditResult result = small_result();
  result.randomness = randomness_account(result.preprocessing, bandit_topology(2, false));
  const std::string dealt = report_html(result);
  EXPECT_THAT(dealt, HasSubstr("It rests on the randomness of the dealer"));
  EXPECT_THAT(dealt, HasSubstr("all but one of them together learn nothing"));
  EXPECT_THAT(dealt, HasSubstr("Who could know what"));
  EXPECT_THAT(dealt, HasSubstr("dealer with party 0, or dealer with party 1, or party 0 with party 1"));
  const std::string replicated = report_html(make_dealerless(small_result()));
  EXPECT_THAT(replicated, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(replicated, HasSubstr("Two of the three together read everything"));
  EXPECT_THAT(replicated, Not(HasSubstr("all but one of them together learn nothing")));
  EXPECT_THAT(replicated, Not(HasSubstr("randomness of the dealer")));
  EXPECT_THAT(replicated, HasSubstr("party 0 with party 1, or party 0 with party 2, or party 1 with party 2"));
  BanditResult of_two = small_result();
  of_two.preprocessing = RandomnessBy::ot;
  of_two.randomness = randomness_account(of_two.preprocessing, bandit_topology(2, false, of_two.preprocessing));
  const std::string by_transfers = report_html(of_two);
  EXPECT_THAT(by_transfers, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(by_transfers, HasSubstr("It rests on oblivious transfers"));
  EXPECT_THAT(by_transfers, Not(HasSubstr("Two of the three together")));
  EXPECT_THAT(by_transfers, Not(HasSubstr("randomness of the dealer")));
  of_two.preprocessing = RandomnessBy::helper;
  of_two.randomness = randomness_account(of_two.preprocessing, bandit_topology(2, false, of_two.preprocessing));
  const std::string helped = report_html(of_two);
  EXPECT_THAT(helped, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(helped, HasSubstr("A party with the helper reads everything"));
  EXPECT_THAT(helped, HasSubstr("party 0 with party 1, or party 0 with helper, or party 1 with helper"));
  EXPECT_THAT(helped, Not(HasSubstr("randomness of the dealer")));
}

TEST(ResultJson, NamesWhoMadeTheRandomness) {
  EXPECT_EQ(to_json(small_result()).at("preprocessing"), "dealer");
  const nlohmann::json object = to_json(make_dealerless(small_result()));
  EXPECT_EQ(object.at("preprocessing"), "replicated");
  EXPECT_EQ(object.at("randomness").at(0).at("read_by").at(1), (nlohmann::json{"party 0", "party 2"}));
  EXPECT_EQ(object.at("preprocessing_bytes_per_step"), 70'000);
  EXPECT_TRUE(object.at("dealer_seconds").is_null());
  EXPECT_THAT(summary_text(make_dealerless(small_result())), Not(HasSubstr("dealer")));
}

BanditResult result_of_a_run() {
  BanditResult result = small_result();
  result.steps = 60'000;
  result.features = 20;
  result.eta_composed = eta_composed(10, .1, 60'000);
  result.average_reward = .7675;
  result.plaintext_average_reward = .7681;
  result.online_seconds = 2.61;
  result.dealer_seconds = 4.4;
  return result;
}

TEST(SummaryText, IsTheseLines) {
  EXPECT_EQ(summary_text(result_of_a_run()),
            "60,000 steps, 2 parties, 20 features, 10 arms, epsilon 0.1\n"
            "  average reward    0.7675\n"
            "  plain-text twin   0.7681      same algorithm without privacy, own randomness\n"
            "  rounds            7           a step\n"
            "  time              81.3 us     a step, all together\n"
            "  sent              30.4 KB     a step, by the largest party\n"
            "  dealt             78.9 KB     a step, to the last party\n"
            "  online            2.61 s\n"
            "  dealer            4.40 s      of CPU time\n"
            "  eta an arm        4.51        log(A/eps) = 4.61\n"
            "  eta of the run    265,825     composed, at delta 1e-06; vacuous for long runs\n");
}

TEST(SummaryText, SpeaksOfEventsInBatches) {
  BanditResult result = result_of_a_run();
  make_batches(result);
  EXPECT_THAT(
      summary_text(result),
      ::testing::AllOf(HasSubstr("60,000 events in batches of 256, rewards 1,000 events late, 2 parties, "),
                       HasSubstr("  rounds            0.07031     an event: 5 to decide a batch, 13 to learn it\n"
                                 "  time              81.3 us     an event, all together; 12,345 a second\n"
                                 "  sent              30.4 KB     an event, by the largest party\n"),
                       HasSubstr("of CPU time, 35.0 us an event\n"), Not(HasSubstr("step"))));
}

TEST(SummaryText, SaysWhatWasEmulatedAndWhatTheModelSays) {
  BanditResult result = result_of_a_run();
  make_emulated(result);
  EXPECT_THAT(
      summary_text(result),
      HasSubstr("  emulated links    delay 20ms, rate 100mbit (no measurement of a network)\n"
                "  model of them     142 ms      a step: 140 ms delay + 2.00 ms bytes / rate + 400 us arithmetic\n"
                "  measured          143 ms      a step; error of the model -0.4%\n"));
}

TEST(SummaryText, ColoursOnlyWhenAsked) {
  BanditResult result = result_of_a_run();
  result.insecure = {"insecure-seed"};
  EXPECT_THAT(summary_text(result), AllOf(Not(HasSubstr("\x1b")), HasSubstr("INSECURE: insecure-seed")));
  EXPECT_THAT(summary_text(result, {true}), HasSubstr("\x1b[1;31mINSECURE"));
}

TEST(SummaryText, SaysUnboundedAndFailed) {
  BanditResult result = result_of_a_run();
  make_unbounded(result);
  EXPECT_THAT(summary_text(result), HasSubstr("privacy of arms   unbounded"));
  make_failed(result, "dealer: lost");
  EXPECT_EQ(summary_text(result), "failed: dealer: lost\n");
}

TEST(HumanUnits, KeepThreeDigits) {
  const std::pair<double, const char*> seconds[] = {
      {0, "0 s"},      {8.4e-7, "840 ns"},    {9.996e-7, "1.00 us"}, {41.34e-6, "41.3 us"}, {.5, "500 ms"},
      {1.2, "1.20 s"}, {99.96, "1 min 40 s"}, {185, "3 min 05 s"},   {7260, "2 h 01 min"}};
  for (const auto& [value, text] : seconds) EXPECT_EQ(human_seconds(value), text);
  const std::pair<double, const char*> bytes[] = {{0, "0 B"},          {999, "999 B"},     {999.7, "1.00 KB"},
                                                  {30'412, "30.4 KB"}, {1.2e6, "1.20 MB"}, {5e15, "5000 TB"}};
  for (const auto& [value, text] : bytes) EXPECT_EQ(human_bytes(value), text);
  const std::pair<double, const char*> counts[] = {
      {950, "950"}, {60'000, "60,000"}, {-1234567, "-1,234,567"}, {12.3e6, "12.3 M"}, {2e9, "2.00 G"}};
  for (const auto& [value, text] : counts) EXPECT_EQ(human_count(value), text);
  EXPECT_EQ(human_eta(4.506), "4.51");
  EXPECT_EQ(human_eta(265'825.4), "265,825");
}

TEST(WriteRun, MakesTheFolderAndTwoFiles) {
  const TestFolder folder;
  const fs::path run = folder.path() / "a" / "b";
  BanditResult result;
  result.steps = 12;
  write_run(run, result);
  EXPECT_EQ(nlohmann::json::parse(slurp(run / "run.json"))["steps"], 12);
  EXPECT_THAT(slurp(run / "report.html"), StartsWith("<!doctype html>"));
  EXPECT_EQ(std::distance(fs::directory_iterator(run), {}), 2);
  // Names of files may be no text.
  result.command = "sotto bandit --party \xff.csv";
  write_run(run, result);
  EXPECT_TRUE(nlohmann::json::accept(slurp(run / "run.json")));
}

TEST(WriteRun, SaysWhichFolderCannotBeMade) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "x");
  for (const auto& path : {file, file / "below"}) {
    EXPECT_THAT(error_of<ResourceError>([&] { write_run(path, BanditResult{}); }), HasSubstr(path.string()));
  }
}

TEST(DefaultRunDirectory, HasTimeAndId) {
  const std::string path = default_run_directory().string();
  EXPECT_THAT(path, ::testing::MatchesRegex("sotto-runs/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}"));
}

// With texts from outside that would be markup.
BanditResult full_result() {
  BanditResult result = small_result();
  result.command = "sotto bandit --party '<script>alert(1)</script>.csv'";
  result.inputs = {{"party <0>", "<img src=x onerror=alert(1)>.csv", 2, 1}, {"party 1", "b&b.csv", 1, 1}};
  result.environment = "\"labels\".csv";
  result.views = bandit_views({{"party <0>", "party 1"}, 0, {}, true, true, false});
  result.uniform_average_reward = .1;
  result.step_rounds[0].labels = {"x & <w>"};
  result.compare_plaintext = small_comparison();
  return result;
}

void expect_parts(const std::string& page, const std::vector<const char*>& parts) {
  for (const char* part : parts) EXPECT_THAT(page, HasSubstr(part));
}

// Every element is closed, in order: what a browser would otherwise repair in silence.
void expect_balanced(const std::string& page) {
  const std::set<std::string> empty_elements{"meta", "br", "!doctype"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const bool closes = page[at + 1] == '/';
    const std::size_t start = at + (closes ? 2 : 1);
    const std::string name = page.substr(start, page.find_first_of(" >/", start) - start);
    if (closes) {
      ASSERT_FALSE(open.empty()) << name;
      ASSERT_EQ(open.back(), name) << page.substr(at > 200 ? at - 200 : 0, 220);
      open.pop_back();
    } else if (page[end - 1] != '/' && !empty_elements.contains(name)) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(ReportHtml, IsBalancedInEveryVariant) {
  BanditResult result = full_result();
  expect_balanced(report_html(result));
  expect_balanced(report_html(make_dealerless(result)));
  expect_balanced(report_html(average(std::vector{result, result})));
  make_emulated(result);
  expect_balanced(report_html(result));
  result.link_model.reset();
  expect_balanced(report_html(result));
  result.insecure = {"insecure-seed"};
  make_unbounded(result);
  expect_balanced(report_html(result));
  result.status = RunStatus::failed;
  expect_balanced(report_html(result));
  expect_balanced(report_html(BanditResult{}));
}

TEST(ReportHtml, LoadsAndRunsNothing) {
  const std::string page = report_html(full_result());
  for (const char* forbidden : {"<script", "http:", "https:", "<link", "<img", "<iframe", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(forbidden)));
  }
}

TEST(ReportHtml, EscapesWhatComesFromOutside) {
  BanditResult result = full_result();
  expect_parts(report_html(result), {"&lt;img src=x onerror=alert(1)&gt;.csv", "&lt;script&gt;alert(1)",
                                     "party &lt;0&gt;", "&quot;labels&quot;.csv", "x &amp; &lt;w&gt;"});
  make_failed(result, "<b>");
  EXPECT_THAT(report_html(result), HasSubstr("&lt;b&gt;"));
}

TEST(ReportHtml, ShowsTheKeyFiguresAndTheStatement) {
  expect_parts(report_html(full_result()),
               {"<strong>0.5000</strong>", "30.4 KB", "78.9 KB", "81.3 us", "= 4.511 &le; log(A/&epsilon;) = 4.605",
                "uniform play", "series-private", "series-plaintext", "actor and rewarder", "vacuous for long runs"});
}

TEST(ReportHtml, SpeaksOfEventsInBatches) {
  BanditResult result = full_result();
  make_batches(result);
  const std::string page = report_html(result);
  expect_balanced(page);
  expect_parts(page, {"</strong> an event", "Time an event", "A batch of 256 events, round by round", "decide 1",
                      "events at once", "rewards late by", "in batches of 256, rewards 1,000 events late"});
}

TEST(ReportHtml, SaysWhenThereIsNoPrivacy) {
  BanditResult result = full_result();
  make_unbounded(result);
  EXPECT_THAT(report_html(result), HasSubstr("&eta; is unbounded"));
  EXPECT_THAT(report_html(full_result()), Not(HasSubstr("class=\"alert\"")));
  result.insecure = {"insecure-seed"};
  const std::string page = report_html(result);
  EXPECT_THAT(page, AllOf(HasSubstr("Insecure run: insecure-seed"), Not(HasSubstr("No party saw"))));
}

TEST(ReportHtml, CallsNoFailedRunAResult) {
  BanditResult result = full_result();
  make_failed(result, "party 1: lost");
  const std::string page = report_html(result);
  expect_parts(page, {"This run failed", "party 1: lost"});
  EXPECT_THAT(page, Not(HasSubstr("0.5000")));
}

TEST(ReportHtml, SaysThatLinksWereEmulated) {
  BanditResult result = full_result();
  EXPECT_THAT(report_html(result), Not(HasSubstr("emulated")));
  make_emulated(result);
  expect_parts(report_html(result), {"delay 20ms, rate 100mbit", "not of a network that was measured", "-0.4%"});
}

}  // namespace
}  // namespace sotto::apps
