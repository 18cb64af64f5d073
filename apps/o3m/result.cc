#include "apps/o3m/result.h"

#include <fmt/format.h>

#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/run_page.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/o3m/leakage.h"
#include "core/text/count.h"

namespace sotto::apps::o3m {
namespace {

using Json = nlohmann::ordered_json;

void add_parameters(FieldWriter<Json> field, const O3mResult& result) {
  const O3mParameters& parameters = result.parameters;
  field("algorithm", parameters.algorithm == LinearAlgorithm::ucb ? "ucb" : "ts");
  field("steps", parameters.steps);
  field("arm_count", parameters.arms);
  field("participants", parameters.participants());
  field("dimension", parameters.dimension());
  field("beta", parameters.beta);
  field("v", parameters.v);
  field("lambda", parameters.lambda);
  field("mask_generator", parameters.mask_generator ? Json(*parameters.mask_generator) : Json("third-party"));
  field("secure_summation", !parameters.insecure_blocks);
  Json inputs = Json::array();
  for (const PartyInput& input : result.inputs) {
    inputs.push_back(
        {{"role", input.name}, {"file", input.file}, {"features", input.features}, {"bound", input.max_norm}});
  }
  field("inputs", inputs);
  field("environment", result.environment);
  field.unless_empty("arms_file", result.arms_file);
  if (!result.arms_file.empty()) field("combine", result.combine);
}

void add_central(FieldWriter<Json> field, const std::optional<CentralComparison>& central) {
  const auto of = [&](auto CentralComparison::*member) { return central ? Json(*central.*member) : Json(nullptr); };
  field("arms_equal", of(&CentralComparison::arms_equal));
  field("max_score_difference", of(&CentralComparison::max_score_difference));
  field("central_seconds_per_step", of(&CentralComparison::seconds_per_step));
  field("central_average_reward", of(&CentralComparison::average_reward));
  if (central) field.unless_empty("first_difference", central->first_difference);
}

void add_earned(SummaryLines& lines, const O3mResult& result) {
  if (result.average_reward) {
    lines.row("average reward", fmt::format("{:.4f}", *result.average_reward),
              result.uniform_average_reward ? fmt::format("uniform play {:.4f}", *result.uniform_average_reward) : "");
  }
  if (result.cumulative_regret) {
    lines.row("regret", fmt::format("{:.2f}", *result.cumulative_regret),
              fmt::format("of uniform play {:.2f}", result.uniform_regret.value_or(0)));
  }
  if (!result.central) return;
  lines.row("central twin", result.central->arms_equal ? "same arms" : "other arms",
            result.central->first_difference ? fmt::format("from step {} on", *result.central->first_difference)
                                             : "in every step");
  lines.row("scores differ by", fmt::format("{:.1e}", result.central->max_score_difference),
            "at most, from the twin's");
}

void add_cost(SummaryLines& lines, const O3mResult& result) {
  if (result.seconds_per_step) {
    lines.row("time", human_seconds(*result.seconds_per_step),
              result.central
                  ? fmt::format("a step; the central twin's {}", human_seconds(result.central->seconds_per_step))
                  : "a step, at the active participant");
  }
  if (result.end_to_end_seconds_per_step) {
    lines.row("with masking", human_seconds(*result.end_to_end_seconds_per_step),
              "a step, sending and adding up included");
  }
  if (result.bytes_per_step) {
    lines.row("received", human_bytes(*result.bytes_per_step), "a step, by the active participant");
  }
}

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
  return {"Rewards", chart_figure(chart, "The mean of the rewards of all steps so far.")};
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
  return {"Regret", chart_figure(chart,
                                 "The mean of the best arm less that of the arm chosen, summed over all steps so far. "
                                 "Uniform play: its regret of the whole run, spread evenly.")};
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

std::string leakage_of_arm_features(const O3mResult& result) {
  if (result.combine != combine_text(Combine::outer_sum)) return {};
  return "All know the arm features, and the difference of two arms is a known context, the same for every user: the "
         "active participant has these without knowing any user.";
}

Json to_json(const O3mResult& result) {
  Json object;
  const FieldWriter field(object);
  RunHeader::describe(result, field);
  if (result.settings) object["settings"] = settings_json(*result.settings);
  add_parameters(field, result);
  field("leakage", leakage(result.parameters));
  const std::string of_arms = leakage_of_arm_features(result);
  if (!of_arms.empty()) object["leakage"]["active participant"].push_back(of_arms);
  field("leakage_acknowledged", result.leakage_acknowledged);
  field("average_reward", result.average_reward);
  field("uniform_average_reward", result.uniform_average_reward);
  field("cumulative_regret", result.cumulative_regret);
  field("uniform_regret", result.uniform_regret);
  field("seconds_per_step", result.seconds_per_step);
  field("end_to_end_seconds_per_step", result.end_to_end_seconds_per_step);
  field("bytes_per_step", result.bytes_per_step);
  field("setup_seconds", result.setup_seconds);
  field("wall_seconds", result.wall_seconds);
  field("prefetched", result.prefetched);
  add_central(field, result.central);
  field("roles", result.roles);
  field("reward_curve", result.reward_curve);
  field.unless_empty("regret_curve", result.regret_curve);
  field("arms", result.arms);
  field("rewards", result.rewards);
  return object;
}

std::string summary_text(const O3mResult& result, const TextOptions& options) {
  SummaryLines lines(options.colour);
  lines.insecure(result.insecure);
  if (result.status == RunStatus::failed) {
    lines.warning("failed: " + result.error.value_or("no reason given"));
    return lines.text();
  }
  const O3mParameters& parameters = result.parameters;
  lines.title(fmt::format("{} of {}, {}, {}, {}", human_count(parameters.steps, "step"),
                          parameters.algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS",
                          counted(parameters.participants(), "participant"), counted(parameters.dimension(), "feature"),
                          counted(parameters.arms, "arm")));
  add_earned(lines, result);
  add_cost(lines, result);
  lines.warning(leakage_headline());
  return lines.text();
}

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
    page.sections.push_back({"Costs", note(cost_note) + role_cost_table("Role", result.roles)});
  }
  page.sections.push_back(parameters_section(result));
  return to_html(page);
}

}  // namespace sotto::apps::o3m
