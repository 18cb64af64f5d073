#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/views.h"
#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

TEST(ReportHtml, SaysWhoseCoinsItRestsOn) {
  BanditResult result = small_result();
  result.randomness = randomness_account(result.preprocessing, bandit_topology(2, false));
  const std::string dealt = report_html(result);
  EXPECT_THAT(dealt, HasSubstr("It depends on the randomness of the dealer"));
  EXPECT_THAT(dealt, HasSubstr("all but one of these parties together learn nothing"));
  EXPECT_THAT(dealt, HasSubstr("The knowledge of colluding roles"));
  EXPECT_THAT(dealt, HasSubstr("dealer with party 0, or dealer with party 1, or party 0 with party 1"));
  const std::string replicated = report_html(make_dealerless(small_result()));
  EXPECT_THAT(replicated, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(replicated, HasSubstr("two of the three together read everything"));
  EXPECT_THAT(replicated, Not(HasSubstr("all but one of these parties together learn nothing")));
  EXPECT_THAT(replicated, Not(HasSubstr("randomness of the dealer")));
  EXPECT_THAT(replicated, HasSubstr("party 0 with party 1, or party 0 with party 2, or party 1 with party 2"));
  BanditResult of_two = small_result();
  of_two.preprocessing = RandomnessBy::ot;
  of_two.randomness = randomness_account(of_two.preprocessing, bandit_topology(2, false, of_two.preprocessing));
  const std::string by_transfers = report_html(of_two);
  EXPECT_THAT(by_transfers, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(by_transfers, HasSubstr("depends on oblivious transfers"));
  EXPECT_THAT(by_transfers, Not(HasSubstr("two of the three together")));
  EXPECT_THAT(by_transfers, Not(HasSubstr("randomness of the dealer")));
  of_two.preprocessing = RandomnessBy::helper;
  of_two.randomness = randomness_account(of_two.preprocessing, bandit_topology(2, false, of_two.preprocessing));
  const std::string helped = report_html(of_two);
  EXPECT_THAT(helped, HasSubstr("no role\nknows</strong>"));
  EXPECT_THAT(helped, HasSubstr("a party with the helper reads everything"));
  EXPECT_THAT(helped, HasSubstr("party 0 with party 1, or party 0 with helper, or party 1 with helper"));
  EXPECT_THAT(helped, Not(HasSubstr("randomness of the dealer")));
}

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

// A browser would repair a broken page without a message, so this function checks that each tag is closed.
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

BanditResult evaluated_result(Support support, double mean_weight) {
  BanditResult result = small_result();
  result.log.emplace();
  PolicyValue model;
  model.policy = "model";
  model.support = support;
  model.mean_weight = MeanWeight{mean_weight, .001};
  model.bounds = Bounds{.2, .9};
  PolicyValue log;
  log.policy = "log";
  log.value = Estimate{.5, .4, .6};
  result.evaluation.emplace().policies = {model, log};
  return result;
}

TEST(ReportHtml, SaysOfAModelWithoutAValueNoMoreThanIsKnown) {
  const BanditResult lacking = evaluated_result(Support::lacking, .998);
  EXPECT_THAT(log_verdict(lacking), HasSubstr("may pick an arm that had no chance"));
  EXPECT_THAT(why_no_value(lacking.evaluation->policies.front()), HasSubstr("as in less than 1% of events"));
  EXPECT_THAT(why_no_value(evaluated_result(Support::lacking, .9).evaluation->policies.front()),
              HasSubstr("as in some 10% of events"));
}

TEST(LogVerdict, SaysTheLiftOverTheLogAlsoInMoney) {
  BanditResult result = evaluated_result(Support::shown, 1);
  result.evaluation->policies.front().value = Estimate{.64, .49, .79};
  EXPECT_EQ(log_verdict(result),
            "The joint model would have earned 0.6400 an event (0.4900 to 0.7900), 0.1400 more "
            "than the log.");
  result.money = MoneyTerms{"EUR", 3000};
  EXPECT_THAT(log_verdict(result),
              HasSubstr("At 3,000 events a month, the difference is 420 EUR a month (-30 to 870)."));
  EXPECT_THAT(summary_text(result), StartsWith("The joint model would have earned 0.6400 an event"));
  result.evaluation->policies.front().value = Estimate{.4, .35, .45};
  EXPECT_THAT(log_verdict(result),
              HasSubstr("0.1000 less than the log. At 3,000 events a month, the difference is -300"));
}

TEST(SummaryText, HasAnAnswerInOneBit) {
  BanditResult result = evaluated_result(Support::shown, 1);
  Evaluation& evaluation = *result.evaluation;
  evaluation.policies.erase(evaluation.policies.begin());
  evaluation.noise = {{"party 0", {.5, 1, true}}};
  evaluation.learned = 5000;
  evaluation.answer = BitAnswer{true, false};
  EXPECT_THAT(
      summary_text(result),
      AllOf(HasSubstr("yes"), HasSubstr("the model earns more than the log"), HasSubstr("the answer is one bit"),
            HasSubstr("of those of party 0 the answer tells one bit at most"), Not(HasSubstr("uncovered"))));
  EXPECT_THAT(report_html(result), HasSubstr("In one bit: the model earns more than the log"));
  evaluation.answer = BitAnswer{false, true};
  EXPECT_THAT(summary_text(result), AllOf(HasSubstr("is not shown to earn more than the log"),
                                          HasSubstr("may have had no chance earns the least reward")));
}

TEST(SummaryText, SaysWhoAddedNoiseAndWhereItIsWeak) {
  BanditResult result = evaluated_result(Support::shown, 1);
  Evaluation& evaluation = *result.evaluation;
  evaluation.policies.front().value = Estimate{.7, .66, .75};
  evaluation.policies.front().effective_events = 1311;
  evaluation.noise = {{"party 0", {.5, 1, true}}, {"owner 0", {3, 2}}};
  evaluation.noise_half_width = .014;
  evaluation.learned = 5000;
  evaluation.noise.front().privacy.learning_epsilon = 1;
  evaluation.noise.front().privacy.learning_delta = 1e-6;
  result.plaintext_evaluation = evaluation;
  const std::string text = summary_text(result);
  EXPECT_THAT(
      text, AllOf(HasSubstr("party 0: epsilon 0.5, 1 row a subject, counted; owner 0: epsilon 3, 2 rows a subject, not "
                            "counted; "
                            "+-0.014 of the interval; 5,000 rows learned, with noise of party 0 (1, 1e-06), "
                            "uncovered_learning: no epsilon covers those of owner 0"),
                  HasSubstr("0.7000 (0.6600 to 0.7500)"), HasSubstr("effective events 1,311"),
                  HasSubstr("exact, in plain text: 0.7000")));
  EXPECT_THAT(text, HasSubstr("owner 0 has an epsilon of 3, above 2: whether one event agrees can be guessed, "
                              "rightly in up to 95.26% of cases"));
  EXPECT_THAT(text, Not(HasSubstr("party 0 has")));
  EXPECT_THAT(report_html(result),
              AllOf(HasSubstr("owner 0 has an epsilon of 3"), HasSubstr("uncovered_learning: no epsilon")));
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
               {"earned 0.5000 a step", "30.4 KB", "78.9 KB", "81.3 us", "= 4.511 &le; log(A/&epsilon;) = 4.605",
                "uniform play", "series-private", "series-plaintext", "actor and rewarder", "vacuous for long runs"});
}

TEST(ReportHtml, SpeaksOfEventsInBatches) {
  BanditResult result = full_result();
  make_batches(result);
  const std::string page = report_html(result);
  expect_balanced(page);
  expect_parts(page, {"0.5000 an event", "Time an event", "A batch of 256 events, round by round", "decide 1",
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

TEST(SummaryText, IsTheseLines) {
  EXPECT_EQ(
      summary_text(result_of_a_run()),
      "The parties together earned 0.7675 a step. The rewards of other arms are not known, so there is nothing to "
      "compare.\n"
      "60,000 steps, 2 parties, 20 features, 10 arms, epsilon 0.1\n"
      "  average reward    0.7675\n"
      "  plain-text twin   0.7681      same algorithm without privacy, one play\n"
      "  rounds            7           a step\n"
      "  time              81.3 us     a step, all together\n"
      "  sent              30.4 KB     a step, by the largest party\n"
      "  dealt             78.9 KB     a step, to the last party\n"
      "  online            2.61 s\n"
      "  dealer            4.40 s      of CPU time\n"
      "  eta an arm        4.51        log(A/eps) = 4.61\n"
      "  eta of the run    265,825     composed, at delta 1e-06: vacuous\n");
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

TEST(BanditViews, OfAnEvaluationSayThatTheOwnerOfTheLogSeesCountsWithNoise) {
  ViewOptions options{{"a.csv", "b.csv"}, 0, {}, true, false, false};
  options.task = BanditTask::evaluate;
  const RoleView owner = bandit_views(options).back();
  EXPECT_EQ(owner.role, "actor, who has the log");
  EXPECT_THAT(owner.learns,
              ::testing::Contains(HasSubstr("that it chose, with noise of every role that brings features")));
  EXPECT_THAT(owner.learns, ::testing::Contains(HasSubstr("which that noise does not cover")));
  EXPECT_THAT(owner.never_sees, ElementsAre("any message of the parties but these counts"));
}

TEST(BanditViews, WithoutADealerThereIsNoneAndNobodyKnowsACoin) {
  const BanditResult result = make_dealerless(small_result());
  ASSERT_EQ(result.views.size(), 5u);
  for (const RoleView& view : result.views) EXPECT_NE(view.role, "dealer");
  EXPECT_THAT(result.views[0].never_sees, ::testing::Contains("whether the arm was explored"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
