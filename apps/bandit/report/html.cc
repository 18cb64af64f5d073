#include "sotto/apps/bandit/report/html.h"

#include <fmt/format.h>

#include <cmath>

#include "sotto/apps/bandit/report/html_sections.h"
#include "sotto/apps/bandit/report/text.h"
#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::string alerts(const BanditResult& result) {
  std::string out = insecure_alerts(result.insecure);
  if (result.status == RunStatus::failed) {
    out += alert("This run failed", escape_html(result.error.value_or("No reason was recorded.")));
  }
  return out;
}

std::string in_words(std::size_t count) {
  constexpr const char* words[] = {"Two", "Three", "Four", "Five", "Six", "Seven", "Eight"};
  return count >= 2 && count <= 8 ? words[count - 2] : std::to_string(count);
}

std::string verdict(const BanditResult& result) {
  if (result.status == RunStatus::failed || !result.average_reward) {
    return element("p", "verdict", "The run did not complete; what follows is no result.");
  }
  std::string text =
      fmt::format("{} parties chose among {} together and earned <strong>{:.4f}</strong> a step",
                  in_words(result.parties), counted(result.arms, "arm"), *result.average_reward);
  if (result.plaintext_average_reward) {
    text += fmt::format(", where the same algorithm on open data earns <strong>{:.4f}</strong>",
                        *result.plaintext_average_reward);
  }
  text += '.';
  if (result.insecure.empty())
    text += " No party saw another&rsquo;s features, the arms or the rewards.";
  return element("p", "verdict", text);
}

std::string sd_of(const BanditResult& result, const char* name) {
  const auto found = result.sd.find(name);
  return found == result.sd.end()
             ? ""
             : fmt::format("sd {:.4f} over {} runs", found->second, result.repeats);
}

std::string whole_run(const std::optional<double>& a_step, const BanditResult& result) {
  return a_step ? fmt::format("{} in the run",
                              human_bytes(*a_step * static_cast<double>(result.steps)))
                : "";
}

std::string tiles(const BanditResult& result) {
  const auto reward = [](double value) { return fmt::format("{:.4f}", value); };
  const auto eta = [](double value) { return fmt::format("{:.2f}", value); };
  const bool bounded = result.eta_per_action.exact.has_value();
  std::string baseline = sd_of(result, "average_reward");
  if (baseline.empty() && result.uniform_average_reward) {
    baseline = fmt::format("uniform play {:.3f}", *result.uniform_average_reward);
  }
  std::string twin = sd_of(result, "plaintext_average_reward");
  if (twin.empty()) twin = "same algorithm, own randomness";
  std::string speed;
  if (result.seconds_per_step && *result.seconds_per_step > 0) {
    speed = fmt::format(
        "{} a second, {}",
        human_count(static_cast<std::uint64_t>(std::round(1 / *result.seconds_per_step)), "step"),
        result.link ? "on emulated links" : "all together");
  }
  std::string out;
  out += tile("Average reward", figure_of(result.average_reward, reward), baseline);
  out += tile("Plain-text twin", figure_of(result.plaintext_average_reward, reward), twin);
  out +=
      tile("Privacy of one arm, &eta;", bounded ? eta(*result.eta_per_action.exact) : "unbounded",
           bounded ? fmt::format("at most log(A/&epsilon;) = {:.2f}", *result.eta_per_action.paper)
                   : "&epsilon; is 0: arms are not random");
  out += tile("Of the whole run, &eta;",
              result.eta_composed.optimal ? human_eta(*result.eta_composed.optimal) : "unbounded",
              result.eta_composed.optimal ? fmt::format("composed, at &delta; = {}",
                                                        scientific_html(result.eta_composed.delta))
                                          : "composed");
  out += tile("Time a step", figure_of(result.seconds_per_step, human_seconds), speed);
  out += tile("Rounds a step",
              figure_of(result.rounds_per_step, [](double v) { return fmt::format("{:g}", v); }),
              result.rounds_per_step
                  ? fmt::format("{} in the run", human_count(*result.rounds_per_step *
                                                             static_cast<double>(result.steps)))
                  : "");
  out += tile("Sent a step", figure_of(result.bytes_per_step, human_bytes),
              whole_run(result.bytes_per_step, result));
  out += tile("Dealt a step", figure_of(result.dealt_bytes_per_step, human_bytes),
              whole_run(result.dealt_bytes_per_step, result));
  return element("dl", "tiles", out);
}

ChartSeries series_of(const char* css_name, const char* name, const Curve& curve) {
  ChartSeries series;
  series.css_name = css_name;
  series.name = name;
  for (const CurvePoint& point : curve) {
    series.points.push_back({static_cast<double>(point.step), point.average_reward, point.sd});
  }
  return series;
}

std::string legend_entry(const ChartSeries& series) {
  if (series.points.empty()) return {};
  return element(
      "li", "",
      fmt::format(
          R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" x1="1" y1="5" )"
          R"(x2="27" y2="5"/></svg>{} <b>{:.4f}</b>)",
          series.css_name, series.name, series.points.back().y));
}

std::string reward_section(const BanditResult& result) {
  if (result.reward_curve.empty()) return {};
  LineChart chart;
  chart.title = "Average reward so far by step, private run and plain-text twin";
  chart.x_label = "steps";
  chart.y_label = "average reward so far";
  const ChartSeries own = series_of("private", "private run", result.reward_curve);
  const ChartSeries twin = series_of("plaintext", "plain-text twin", result.plaintext_curve);
  chart.series = {own, twin};
  if (result.uniform_average_reward)
    chart.baselines.push_back({"uniform play", *result.uniform_average_reward});
  if (result.best_average_reward)
    chart.baselines.push_back({"always the best arm", *result.best_average_reward});
  const std::string legend = element("ul", "legend", legend_entry(own) + legend_entry(twin));
  std::string caption =
      "The mean of the rewards of all steps so far. The twin runs the same algorithm in double "
      "precision on the open data, with its own coins: the curves should agree, not be equal.";
  if (result.repeats > 1) caption += " Shaded: one standard deviation over the runs.";
  const std::string figure =
      element("figure", "",
              legend + line_chart_svg(chart, {920, 380}, "wide") +
                  line_chart_svg(chart, {380, 300}, "narrow") + element("figcaption", "", caption));
  return element("section", "", element("h2", "", "What it earned") + figure);
}

}  // namespace

std::string report_html(const BanditResult& result) {
  const std::string eyebrow = fmt::format(
      "sotto &middot; {} &middot; &epsilon; = {:g}{}", human_count(result.steps, "step"),
      result.epsilon,
      result.repeats > 1 ? fmt::format(" &middot; mean of {} runs", result.repeats) : "");
  std::string page = alerts(result);
  page += element(
      "header", "",
      element("p", "eyebrow", eyebrow) + element("h1", "", "A private bandit") + verdict(result));
  if (result.status == RunStatus::complete) {
    page += tiles(result) + reward_section(result) + comparison_section(result) +
            repeats_section(result);
  }
  page += link_section(result) + cost_section(result) + step_section(result) +
          views_section(result) + privacy_section(result) + parameters_section(result) +
          run_footer(result.version, result.started);
  return run_page("report of a private bandit", "", page);
}

}  // namespace sotto::apps
