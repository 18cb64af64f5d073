// The result in words: for a terminal, and as a page.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "apps/demo/result.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps::bandit::demo {
namespace {

std::string compared(double earned, double other) {
  return fmt::format("{:.4f} {} than", std::abs(earned - other), earned < other ? "less" : "more");
}

std::string verdict(const DemoResult& result) {
  const double earned = result.average_reward;
  return fmt::format(
      "The parties together earned {:.4f} a step: {} uniform play, {} party 0 by itself and {} party 1 by itself.",
      earned, compared(earned, result.uniform_average_reward), compared(earned, result.companies()[0].average_reward),
      compared(earned, result.companies()[1].average_reward));
}

struct Line {
  std::string name;
  std::string figure;
  std::string remark;
};

std::string plays_of(const PlainPlays& plays) {
  return fmt::format("in plain text, mean of {} plays, sd {:.4f}", plays.plays, plays.sd);
}

std::vector<Line> rewards(const DemoResult& result) {
  const auto reward = [](double value) { return fmt::format("{:.4f}", value); };
  std::vector<Line> lines{{"average reward", reward(result.average_reward), "of a step"},
                          {"plain-text twin", reward(result.twin().average_reward), plays_of(result.twin())},
                          {"uniform play", reward(result.uniform_average_reward), ""}};
  for (const PlainPlays& company : result.companies()) {
    lines.push_back({company.name + " by itself", reward(company.average_reward), plays_of(company)});
  }
  return lines;
}

std::vector<Line> costs(const DemoResult& result) {
  return {{"rounds", fmt::format("{:.2f}", result.rounds_per_step), "a step"},
          {"time", human_seconds(result.seconds_per_step()), "a step, all together"},
          {"sent", human_bytes(result.bytes_per_step), "a step, by the largest party"},
          {"dealt", human_bytes(result.dealt_bytes_per_step), "a step, to the last party"},
          {"online", human_seconds(result.online_seconds), "the whole run"},
          {"dealer", human_seconds(result.dealer_seconds), "of CPU time"}};
}

std::vector<Line> privacy(const DemoResult& result) {
  const double whole = *result.eta_composed.optimal;
  return {{"eta an arm", fmt::format("{:.2f}", *result.eta_per_action.exact),
           fmt::format("log(A/eps) = {:.2f}", *result.eta_per_action.paper)},
          {"eta of the run", human_eta(whole),
           fmt::format("composed, at delta {:g}{}", result.eta_composed.delta, is_vacuous(whole) ? ": vacuous" : "")}};
}

std::string table_of(const std::vector<Line>& lines) {
  PageTable table{{{"", ""}, {""}, {"", "remark"}}};
  for (const Line& line : lines) table.rows.push_back({line.name, line.figure, line.remark});
  return to_html(table);
}

// The series of the companies have colours of their own; page_style has those of the two others.
constexpr std::pair<const char*, const char*> company_colours[] = {{"#7a5195", "#b98fd6"}, {"#00796b", "#4db6ac"}};

std::string company_css(std::size_t company) { return fmt::format("company-{}", company); }

std::string company_style() {
  std::vector<SeriesStyle> looks;
  for (std::size_t company = 0; company < std::size(company_colours); ++company) {
    const auto& [light, dark] = company_colours[company];
    looks.push_back({company_css(company), light, dark, "stroke-width: 2", false});
  }
  return series_style(looks);
}

std::string curves(const DemoResult& result) {
  std::vector<ChartSeries> series{series_of("private", "private", result.reward_curve),
                                  series_of("plaintext", "plain-text twin", result.twin().reward_curve)};
  for (std::size_t company = 0; company < result.companies().size(); ++company) {
    const PlainPlays& plays = result.companies()[company];
    series.push_back(series_of(company_css(company).c_str(), (plays.name + " by itself").c_str(), plays.reward_curve));
  }
  return chart_figure(reward_chart("Average reward by step", std::move(series)),
                      "The private run, and means of plays in plain text. The band is one standard deviation.");
}

constexpr const char* views =
    R"(<p>Each party sees its own ten columns, and numbers that look uniformly random.</p>
<p>The dealer sees the masks and coins that it deals. It sees no features, arms, rewards or messages of the parties.</p>
<p>The actor sees the arm and the reward of each step. It sees no features, scores or model.</p>
<p>The promise holds if every role follows the protocol, and if the dealer colludes with nobody.</p>)";

std::string page_of(const DemoResult& result) {
  ReportPage page;
  page.title = "the demo";
  page.style = company_style();
  page.add_header(result);
  page.eyebrow =
      fmt::format("{} &middot; {} parties &middot; {} features &middot; {} arms &middot; epsilon {:g}",
                  human_count(result.steps, "step"), Digits::parties, Digits::columns, Digits::arms, result.epsilon);
  page.heading = "A private bandit";
  page.verdict = verdict(result);
  for (const Line& line : costs(result)) page.tiles.push_back({line.name, line.figure, line.remark});
  page.sections = {{"Rewards", curves(result) + table_of(rewards(result))},
                   {"Costs of the roles", role_cost_table("role", result.roles)},
                   {"Views of the roles", views},
                   {"Privacy of the arms", table_of(privacy(result))},
                   {"The command", command_block(result.command)}};
  return to_html(page);
}

}  // namespace

std::string summary_of(const DemoResult& result, bool colour) {
  SummaryLines summary(colour);
  summary.title(verdict(result));
  summary.line(fmt::format("{}, {} parties, {} features, {} arms, epsilon {:g}", human_count(result.steps, "step"),
                           Digits::parties, Digits::columns, Digits::arms, result.epsilon));
  for (const auto lines : {rewards, costs, privacy}) {
    for (const Line& line : lines(result)) summary.row(line.name, line.figure, line.remark);
  }
  return summary.text();
}

void write_report(const DemoResult& result, const std::filesystem::path& folder) {
  write_run_files(folder, page_of(result), json_of<nlohmann::ordered_json>(result));
}

}  // namespace sotto::apps::bandit::demo
