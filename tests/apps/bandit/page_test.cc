#include "sotto/apps/bandit/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sotto/apps/bandit/views.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::Not;

BanditResult full_result() {
  BanditResult result;
  result.version = "0.1.0";
  result.command = "sotto bandit --party '<script>alert(1)</script>.csv'";
  result.steps = 3;
  result.arms = 10;
  result.features = 3;
  result.parties = 2;
  result.epsilon = .1;
  result.eta_per_action = eta_per_action(10, .1);
  result.eta_composed = eta_composed(10, .1, 3);
  result.inputs = {{"party <0>", "<img src=x onerror=alert(1)>.csv", 2, 1}, {"party 1", "b&b.csv", 1, 1}};
  result.environment = "\"labels\".csv";
  result.views = bandit_views({{"party <0>", "party 1"}, true, true, false});
  result.average_reward = .5;
  result.plaintext_average_reward = .6;
  result.reward_curve = {{1, 0, {}}, {2, .5, {}}, {3, .5, {}}};
  result.plaintext_curve = {{1, 1, {}}, {2, .5, {}}, {3, .6, {}}};
  result.uniform_average_reward = .1;
  result.rounds_per_step = 7;
  result.bytes_per_step = 30'412;
  result.dealt_bytes_per_step = 78'900;
  result.seconds_per_step = 81e-6;
  result.phases = {{"setup", .1, 1, 10, 0}, {"online", 1, 21, 90'000, 240'000}};
  result.step_rounds = {{1, {"x & <w>"}, 400, 2e-6}, {2, {"scores"}, 80, {}}};
  PlaintextFollower follower(1, 2, 1, .1);
  follower.follow(std::vector<double>{1}, 1, 1);
  result.compare_plaintext = follower.comparison();
  return result;
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
  expect_balanced(report_html(average(std::vector{result, result})));
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 100'000'000};
  expect_balanced(report_html(result));
  result.link_model = LinkModel{.14, .002, 0, .0004, .143};
  expect_balanced(report_html(result));
  result.insecure = {"insecure-seed"};
  result.eta_per_action = {};
  result.eta_composed = {};
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
  const std::string page = report_html(result);
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(1)&gt;.csv"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("party &lt;0&gt;"));
  EXPECT_THAT(page, HasSubstr("&quot;labels&quot;.csv"));
  EXPECT_THAT(page, HasSubstr("x &amp; &lt;w&gt;"));
  result.status = RunStatus::failed;
  result.error = "<b>";
  EXPECT_THAT(report_html(result), HasSubstr("&lt;b&gt;"));
}

TEST(ReportHtml, ShowsTheKeyFiguresAndTheStatement) {
  const std::string page = report_html(full_result());
  EXPECT_THAT(page, HasSubstr("<strong>0.5000</strong>"));
  EXPECT_THAT(page, HasSubstr("30.4 KB"));
  EXPECT_THAT(page, HasSubstr("78.9 KB"));
  EXPECT_THAT(page, HasSubstr("81.0 us"));
  EXPECT_THAT(page, HasSubstr("= 4.511 &le; log(A/&epsilon;) = 4.605"));
  EXPECT_THAT(page, HasSubstr("uniform play"));
  EXPECT_THAT(page, HasSubstr("series-private"));
  EXPECT_THAT(page, HasSubstr("series-plaintext"));
  EXPECT_THAT(page, HasSubstr("actor and rewarder"));
  EXPECT_THAT(page, HasSubstr("vacuous for long runs"));
}

TEST(ReportHtml, SaysWhenThereIsNoPrivacy) {
  BanditResult result = full_result();
  result.epsilon = 0;
  result.eta_per_action = {};
  result.eta_composed = {};
  EXPECT_THAT(report_html(result), HasSubstr("&eta; is unbounded"));
  EXPECT_THAT(report_html(full_result()), Not(HasSubstr("class=\"alert\"")));
  result.insecure = {"insecure-seed"};
  const std::string page = report_html(result);
  EXPECT_THAT(page, HasSubstr("Insecure run: insecure-seed"));
  EXPECT_THAT(page, Not(HasSubstr("No party saw")));
}

TEST(ReportHtml, CallsNoFailedRunAResult) {
  BanditResult result = full_result();
  result.status = RunStatus::failed;
  result.error = "party 1: lost";
  const std::string page = report_html(result);
  EXPECT_THAT(page, HasSubstr("This run failed"));
  EXPECT_THAT(page, HasSubstr("party 1: lost"));
  EXPECT_THAT(page, Not(HasSubstr("0.5000")));
}

TEST(ReportHtml, SaysThatLinksWereEmulated) {
  BanditResult result = full_result();
  EXPECT_THAT(report_html(result), Not(HasSubstr("emulated")));
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 100'000'000};
  result.link_model = LinkModel{.14, .002, 0, .0004, .143};
  const std::string page = report_html(result);
  EXPECT_THAT(page, HasSubstr("delay 20ms, rate 100mbit"));
  EXPECT_THAT(page, HasSubstr("not of a network that was measured"));
  EXPECT_THAT(page, HasSubstr("-0.4%"));
}

}  // namespace
}  // namespace sotto::apps
