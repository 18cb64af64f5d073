#include "sotto/apps/o3m/report_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr const char* cost_note =
    R"(A step is choosing an arm and learning from its reward, once the masked contexts are there.
With masking: from the first round until the last step is played, divided by the steps. Sent: all
that a role sends, headers included.)";

std::string alerts(const O3mResult& result) {
  std::string out = insecure_alerts(result.insecure);
  if (result.status == RunStatus::failed) {
    out += alert("This run failed", escape_html(result.error.value_or("No reason was recorded.")));
  }
  const std::string of_arms = leakage_of_arm_features(result);
  return out +
         alert("This is no encryption", escape_html(leakage_headline()) +
                                            (of_arms.empty() ? "" : " ") + escape_html(of_arms));
}

const char* algorithm_name(const O3mResult& result) {
  return result.parameters.algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS";
}

std::string verdict(const O3mResult& result) {
  if (result.status == RunStatus::failed || !result.average_reward) {
    return element("p", "verdict", "The run did not complete; what follows is no result.");
  }
  std::string text = fmt::format(
      "{} chose among {} by {} on masked features and earned <strong>{:.4f}</strong> a step.",
      counted(result.parameters.participants(), "participant"),
      counted(result.parameters.arms, "arm"), algorithm_name(result), *result.average_reward);
  if (result.central && result.central->arms_equal) {
    text += " The same algorithm on all features in one place would have chosen the same arms.";
  }
  return element("p", "verdict", text);
}

// To two digits.
std::string rounded_html(double value) {
  return scientific_html(std::stod(fmt::format("{:.1e}", value)));
}

std::string tiles(const O3mResult& result) {
  const auto number = [](const char* format) {
    return [format](double value) { return fmt::format(fmt::runtime(format), value); };
  };
  std::string out;
  out += tile("Average reward", figure_of(result.average_reward, number("{:.4f}")),
              "uniform play " + figure_of(result.uniform_average_reward, number("{:.4f}")));
  out += tile("Regret", figure_of(result.cumulative_regret, number("{:.2f}")),
              result.cumulative_regret
                  ? "of uniform play " + figure_of(result.uniform_regret, number("{:.2f}"))
                  : "the environment has no means");
  out +=
      result.central
          ? tile("From the central twin", result.central->arms_equal ? "same arms" : "other arms",
                 "scores within " + rounded_html(result.central->max_score_difference))
          : tile("From the central twin", "&ndash;", "not compared");
  out += tile("Features", std::to_string(result.parameters.dimension()),
              fmt::format("of {}", counted(result.parameters.participants(), "participant")));
  out += tile("Time a step", figure_of(result.seconds_per_step, human_seconds),
              result.central ? "central twin " + human_seconds(result.central->seconds_per_step)
                             : "at the active participant");
  out += tile("With masking", figure_of(result.end_to_end_seconds_per_step, human_seconds),
              "a step, sending and adding up included");
  out += tile("Received a step", figure_of(result.bytes_per_step, human_bytes),
              "by the active participant");
  out += tile("Whole run", figure_of(result.wall_seconds, human_seconds),
              "all processes, their start and files included");
  return element("dl", "tiles", out);
}

std::string chart_section(const std::string& heading, const LineChart& chart,
                          const std::string& caption) {
  std::string legend;
  for (const ChartSeries& series : chart.series) {
    legend += element(
        "li", "",
        fmt::format(R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" )"
                    R"(x1="1" y1="5" x2="27" y2="5"/></svg>{} <b>{:.4g}</b>)",
                    series.css_name, series.name, series.points.back().y));
  }
  return titled_section(
      heading, element("figure", "",
                       element("ul", "legend", legend) + line_chart_svg(chart, {920, 380}, "wide") +
                           line_chart_svg(chart, {380, 300}, "narrow") +
                           element("figcaption", "", caption)));
}

std::string reward_section(const O3mResult& result) {
  if (result.reward_curve.empty()) return {};
  LineChart chart;
  chart.title = "Average reward so far by step";
  chart.x_label = "steps";
  chart.y_label = "average reward so far";
  ChartSeries own{"private", "O3M run", {}};
  for (const CurvePoint& point : result.reward_curve) {
    own.points.push_back({static_cast<double>(point.step), point.average_reward, std::nullopt});
  }
  chart.series.push_back(std::move(own));
  if (result.uniform_average_reward) {
    chart.baselines.push_back({"uniform play", *result.uniform_average_reward});
  }
  return chart_section("What it earned", chart, "The mean of the rewards of all steps so far.");
}

std::string regret_section(const O3mResult& result) {
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
  return chart_section(
      "What it missed", chart,
      "The mean of the best arm less that of the arm chosen, summed over all steps "
      "so far. Uniform play: its regret of the whole run, spread evenly.");
}

std::string number(const std::string& text) { return element("td", "number", text); }
std::string row_head(const std::string& markup) { return R"(<th scope="row">)" + markup + "</th>"; }

std::string cost_section(const O3mResult& result) {
  if (result.roles.empty()) return {};
  std::string rows;
  for (const O3mRoleCost& role : result.roles) {
    rows += element("tr", "",
                    row_head(escape_html(role.role)) +
                        number(human_bytes(static_cast<double>(role.bytes_sent))) +
                        number(human_seconds(role.cpu_seconds)) +
                        number(human_bytes(static_cast<double>(role.peak_memory_bytes))));
  }
  const std::string head =
      R"(<thead><tr><th scope="col">Role</th><th scope="col" class="number">Sent</th>)"
      R"(<th scope="col" class="number">CPU time</th><th scope="col" class="number">Memory</th></tr></thead>)";
  return titled_section(
      "What it cost",
      element("p", "note", cost_note) +
          element("div", "scroll", element("table", "", head + element("tbody", "", rows))));
}

std::string inputs_table(const O3mResult& result) {
  std::string rows;
  const auto row = [&](const std::string& name, const std::string& file, const std::string& columns,
                       const std::string& bound) {
    rows += element("tr", "",
                    row_head(escape_html(name)) + element("td", "file", escape_html(file)) +
                        number(columns) + number(bound));
  };
  for (const PartyInput& input : result.inputs) {
    row(input.name, input.file, std::to_string(input.features),
        fmt::format("{:g}", input.max_norm));
  }
  if (!result.arms_file.empty()) row("arms", result.arms_file, "", "");
  row("environment", result.environment, "", "");
  const std::string head =
      R"(<thead><tr><th scope="col">Input</th><th scope="col">File</th><th scope="col" class="number">Features</th>)"
      R"(<th scope="col" class="number">Norm bound</th></tr></thead>)";
  return element("div", "scroll", element("table", "", head + element("tbody", "", rows)));
}

std::string parameters_section(const O3mResult& result) {
  const O3mParameters& parameters = result.parameters;
  std::string list;
  list += parameter("algorithm", algorithm_name(result));
  list += parameter("steps", human_count(static_cast<double>(parameters.steps)));
  list += parameter("arms", std::to_string(parameters.arms));
  list += parameter("participants", std::to_string(parameters.participants()));
  list += parameter("features", std::to_string(parameters.dimension()));
  if (parameters.algorithm == LinearAlgorithm::ucb) {
    list += parameter("beta", fmt::format("{:g}", parameters.beta));
  } else {
    list += parameter("v", fmt::format("{:g}", parameters.v));
  }
  list += parameter("lambda", fmt::format("{:g}", parameters.lambda));
  list += parameter("mask generator",
                    parameters.mask_generator
                        ? fmt::format("passive participant {}", *parameters.mask_generator)
                        : std::string("a third party"));
  list += parameter("blocks", parameters.insecure_blocks ? "one by one" : "summed securely");
  if (!result.combine.empty()) list += parameter("arm features", escape_html(result.combine));
  const std::string content = element("dl", "parameters", list) + inputs_table(result);
  return titled_section("Parameters", content + command_block(result.command));
}

}  // namespace

std::string report_html(const O3mResult& result) {
  const std::string eyebrow =
      fmt::format("sotto &middot; {} &middot; {}", human_count(result.parameters.steps, "step"),
                  algorithm_name(result));
  std::string page = alerts(result);
  page +=
      element("header", "",
              element("p", "eyebrow", eyebrow) + element("h1", "", "An O3M run") + verdict(result));
  if (result.status == RunStatus::complete) {
    page += tiles(result) + reward_section(result) + regret_section(result);
  }
  page += leakage_section(result.parameters) + cost_section(result) + parameters_section(result) +
          run_footer(result.version, result.started);
  return run_page("report of an O3M run", "", page);
}

void write_run(const std::filesystem::path& folder, const O3mResult& result) {
  write_run_files(folder, report_html(result), to_json(result));
}

}  // namespace sotto::apps
