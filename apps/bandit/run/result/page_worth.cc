#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/worth.h"
#include "apps/kit/report/dots.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* plays_note =
    R"(Each line is a policy on the same rows in the same order. Plays in plain text run the same algorithm in double
precision with coins of their own. Their whiskers reach two standard deviations of one play to both sides: the private
run is one play, so it should lie within the whiskers of all together.)";

constexpr std::size_t most_parts = 9;  // largest number of companies in the drawing
constexpr std::array<std::array<const char*, 2>, most_parts> part_colours{{{"#b35900", "#e8a15c"},
                                                                           {"#7a5195", "#b98fd6"},
                                                                           {"#00796b", "#4db6ac"},
                                                                           {"#ad1457", "#f06292"},
                                                                           {"#5d6d00", "#b5c75a"},
                                                                           {"#455a64", "#90a4ae"},
                                                                           {"#6d4c41", "#bcaaa4"},
                                                                           {"#1565c0", "#64b5f6"},
                                                                           {"#37474f", "#cfd8dc"}}};

std::string part_css(std::size_t part) { return fmt::format("part-{}", part); }

struct Line {
  std::string name;
  Dot dot;
  std::string remark;
};

Line line_of(const PlainPlays& plays) {
  const double reach = 2 * plays.sd;
  Dot dot{plays.average_reward, plays.average_reward - reach, plays.average_reward + reach};
  if (plays.plays < 2) dot = {plays.average_reward};
  return {escape_html(plays.name) + ", in plain text", dot, plays_text(plays.plays, plays.sd)};
}

Line line_of_run(const BanditResult& result) {
  Line line{"the private run", {*result.average_reward}, "one run, no interval"};
  line.dot.is_own = true;
  const auto sd = result.sd.find("average_reward");
  if (result.repeats < 2 || sd == result.sd.end()) return line;
  line.dot.low = *line.dot.value - 2 * sd->second;
  line.dot.high = *line.dot.value + 2 * sd->second;
  line.remark = fmt::format("mean of {}, sd {:.4f}", counted(result.repeats, "run"), sd->second);
  return line;
}

std::vector<Line> lines_of(const BanditResult& result) {
  std::vector<Line> lines;
  if (result.uniform_average_reward) lines.push_back({"uniform play", {*result.uniform_average_reward}, "exact"});
  if (result.baseline_arm) {
    lines.push_back({fmt::format("arm {} in every step", result.baseline_arm->arm),
                     {result.baseline_arm->average_reward},
                     "exact"});
  }
  for (const PlainPlays& part : result.parts) lines.push_back(line_of(part));
  if (result.parts.empty() && result.plaintext_average_reward) {
    const auto sd = result.sd.find("plaintext_average_reward");
    lines.push_back(line_of({"all together",
                             result.plaintext_plays,
                             *result.plaintext_average_reward,
                             sd == result.sd.end() ? 0 : sd->second,
                             {}}));
  }
  if (result.average_reward) lines.push_back(line_of_run(result));
  if (result.best_average_reward) lines.push_back({"always the best arm", {*result.best_average_reward}, "exact"});
  return lines;
}

Curve less(const Curve& curve, const Curve& other) {
  Curve difference = curve;
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i].average_reward -= other[i].average_reward;
  return difference;
}

std::string lift_figure(const BanditResult& result, const Worth& worth) {
  if (!worth.joining) return {};
  const auto best = std::find_if(result.parts.begin(), result.parts.end(),
                                 [&](const PlainPlays& part) { return part.name == worth.joining->best_part; });
  const Curve& over = best->reward_curve;
  const Curve& all = result.parts.back().reward_curve;
  if (over.empty() || all.size() != over.size() || result.reward_curve.size() != over.size()) return {};
  LineChart chart = reward_chart(fmt::format("Lift over {} by itself, so far by step", best->name),
                                 {series_of("private", "private run", less(result.reward_curve, over)),
                                  series_of("plaintext", "all together, in plain text", less(all, over))});
  chart.y_label = "lift so far";
  chart.baselines.push_back({fmt::format("{} by itself", best->name), 0});
  return chart_figure(chart, fmt::format("How much more an average step earned than with {} by itself (mean of its "
                                         "plays in plain text). Shaded: one standard deviation of a play.",
                                         best->name));
}

}  // namespace

std::string plays_text(std::uint64_t plays, double sd) {
  return plays < 2 ? "one play" : fmt::format("mean of {}, sd {:.4f}", counted(plays, "play"), sd);
}

PageSection worth_section(const BanditResult& result) {
  const std::optional<Worth> worth = worth_of(result);
  const std::vector<Line> lines = lines_of(result);
  if (!worth || lines.size() < 2) return {};
  std::vector<Dot> dots;
  dots.reserve(lines.size());
  for (const Line& line : lines) dots.push_back(line.dot);
  const DotScale scale = dot_scale(dots);
  PageTable table{{{"Policy", ""}, {"", "bar-cell optional"}, {"Average reward"}, {"Known from"}}};
  for (const Line& line : lines) {
    table.rows.push_back({line.name, dot_cell(line.dot, scale), fmt::format("{:.4f}", *line.dot.value), line.remark});
  }
  return {"The worth of joining", note(plays_note) + to_html(table) + lift_figure(result, *worth)};
}

std::vector<ChartSeries> series_of_companies(const BanditResult& result) {
  std::vector<ChartSeries> series;
  const auto parts = companies(result);
  for (std::size_t part = 0; part < std::min(parts.size(), most_parts); ++part) {
    series.push_back(
        series_of(part_css(part).c_str(), (parts[part].name + " by itself").c_str(), parts[part].reward_curve));
  }
  return series;
}

std::string parts_style() {
  std::vector<SeriesStyle> looks;
  for (std::size_t part = 0; part < most_parts; ++part) {
    looks.push_back({part_css(part), part_colours[part][0], part_colours[part][1], "stroke-width: 2", false});
  }
  return series_style(looks);
}

}  // namespace sotto::apps::bandit::run
