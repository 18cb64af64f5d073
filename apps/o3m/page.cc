#include <fmt/format.h>

#include <string>

#include "apps/kit/report/run_page.h"
#include "apps/o3m/leakage.h"
#include "apps/o3m/result.h"
#include "core/text/count.h"

namespace sotto::apps::o3m {
namespace {

constexpr const char* cost_note =
    R"(A step is choosing an arm and learning from its reward, once the masked contexts are there.
With masking: from the first round until the last step is played, divided by the steps. Sent: all
that a role sends, headers included.)";

const char* algorithm_name(const O3mResult& result) {
  return result.parameters.algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS";
}

std::string verdict(const O3mResult& result) {
  if (result.status == RunStatus::failed || !result.average_reward) {
    return "The run did not complete; what follows is no result.";
  }
  std::string text =
      fmt::format("{} chose among {} by {} on masked features and earned <strong>{:.4f}</strong> a step.",
                  counted(result.parameters.participants(), "participant"), counted(result.parameters.arms, "arm"),
                  algorithm_name(result), *result.average_reward);
  if (result.central && result.central->arms_equal) {
    text += " The same algorithm on all features in one place would have chosen the same arms.";
  }
  return text;
}

// To two digits.
std::string rounded_html(double value) { return scientific_html(std::stod(fmt::format("{:.1e}", value))); }

std::vector<Tile> tiles(const O3mResult& result) {
  const auto four = [](double value) { return fmt::format("{:.4f}", value); };
  const auto two = [](double value) { return fmt::format("{:.2f}", value); };
  const auto& central = result.central;
  return {
      {"Average reward", figure_of(result.average_reward, four),
       "uniform play " + figure_of(result.uniform_average_reward, four)},
      {"Regret", figure_of(result.cumulative_regret, two),
       result.cumulative_regret ? "of uniform play " + figure_of(result.uniform_regret, two)
                                : "the environment has no means"},
      {"From the central twin",
       !central              ? "&ndash;"
       : central->arms_equal ? "same arms"
                             : "other arms",
       central ? "scores within " + rounded_html(central->max_score_difference) : "not compared"},
      {"Features", std::to_string(result.parameters.dimension()),
       "of " + counted(result.parameters.participants(), "participant")},
      {"Time a step", figure_of(result.seconds_per_step, human_seconds),
       central ? "central twin " + human_seconds(central->seconds_per_step) : "at the active participant"},
      {"With masking", figure_of(result.end_to_end_seconds_per_step, human_seconds),
       "a step, sending and adding up included"},
      {"Received a step", figure_of(result.bytes_per_step, human_bytes), "by the active participant"},
      {"Whole run", figure_of(result.wall_seconds, human_seconds), "all processes, their start and files included"}};
}

PageSection reward_section(const O3mResult& result) {
  if (result.reward_curve.empty()) return {};
  LineChart chart =
      reward_chart("Average reward so far by step", {series_of("private", "O3M run", result.reward_curve)});
  if (result.uniform_average_reward) {
    chart.baselines.push_back({"uniform play", *result.uniform_average_reward});
  }
  return {"What it earned", chart_figure(chart, "The mean of the rewards of all steps so far.")};
}

PageSection regret_section(const O3mResult& result) {
  if (result.regret_curve.empty()) return {};
  LineChart chart;
  chart.title = "Regret so far by step";
  chart.x_label = "steps";
  chart.y_label = "regret so far";
  ChartSeries own{"private", "O3M run", {}};
  ChartSeries uniform{"plaintext", "uniform play", {}};
  const auto steps = static_cast<double>(result.parameters.steps);
  for (const RegretPoint& point : result.regret_curve) {
    const auto x = static_cast<double>(point.step);
    own.points.push_back({x, point.regret, std::nullopt});
    uniform.points.push_back({x, result.uniform_regret.value_or(0) * x / steps, std::nullopt});
  }
  chart.series = {std::move(own), std::move(uniform)};
  return {"What it missed", chart_figure(chart,
                                         "The mean of the best arm less that of the arm chosen, summed over all steps "
                                         "so far. Uniform play: its regret of the whole run, spread evenly.")};
}

PageSection parameters_section(const O3mResult& result) {
  const O3mParameters& parameters = result.parameters;
  const bool ucb = parameters.algorithm == LinearAlgorithm::ucb;
  std::vector<std::pair<std::string, std::string>> list{
      {"algorithm", algorithm_name(result)},
      {"steps", human_count(static_cast<double>(parameters.steps))},
      {"arms", std::to_string(parameters.arms)},
      {"participants", std::to_string(parameters.participants())},
      {"features", std::to_string(parameters.dimension())},
      {ucb ? "beta" : "v", fmt::format("{:g}", ucb ? parameters.beta : parameters.v)},
      {"lambda", fmt::format("{:g}", parameters.lambda)},
      {"mask generator",
       parameters.mask_generator ? fmt::format("passive participant {}", *parameters.mask_generator) : "a third party"},
      {"blocks", parameters.insecure_blocks ? "one by one" : "summed securely"}};
  if (!result.combine.empty()) list.emplace_back("arm features", escape_html(result.combine));
  return {"Parameters",
          parameter_list(list) +
              inputs_table(result.inputs, {{"arms", result.arms_file}, {"environment", result.environment}}) +
              command_block(result.command)};
}

}  // namespace

std::string report_html(const O3mResult& result) {
  ReportPage page;
  page.title = "report of an O3M run";
  page.add_header(result);
  const std::string of_arms = leakage_of_arm_features(result);
  page.alerts.push_back(
      {"This is no encryption", escape_html(leakage_headline()) + (of_arms.empty() ? "" : " ") + escape_html(of_arms)});
  page.eyebrow = fmt::format("sotto &middot; {} &middot; {}", human_count(result.parameters.steps, "step"),
                             algorithm_name(result));
  page.heading = "An O3M run";
  page.verdict = verdict(result);
  if (result.status == RunStatus::complete) {
    page.tiles = tiles(result);
    page.sections = {reward_section(result), regret_section(result)};
  }
  page.sections.push_back(leakage_section(result.parameters));
  if (!result.roles.empty()) {
    page.sections.push_back({"What it cost", note(cost_note) + role_cost_table("Role", result.roles)});
  }
  page.sections.push_back(parameters_section(result));
  return to_html(page);
}

}  // namespace sotto::apps::o3m
