#include "apps/bandit/model/privacy.h"
#include "bench/lab/hannun_paper/hannun.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

const std::vector<SeriesStyle>& looks() {
  static const std::vector<SeriesStyle> all{{"h0", "#1d5c9e", "#7ab4f0"}, {"h1", "#b8651b", "#e6a55c"},
                                            {"h2", "#2d6a4f", "#7bc8a0"}, {"h3", "#8a3d8f", "#d08ad5"},
                                            {"h4", "#a3221a", "#f08a80"}, {"h5", "#5b626b", "#b0b8c0"},
                                            {"h6", "#7a6a10", "#d0c060"}, {"h7", "#106a7a", "#60c0d0"}};
  return all;
}

PageFigure curve_figure(const HannunPaperRuns& runs) {
  PageFigure figure{"Figure 1",
                    "Means of the plain-text twin over the seeds; shaded: one standard deviation. Private: one run.",
                    {"Average reward during the sweep", "steps", "average reward"}};
  for (const HannunRewards& rewards : runs.rewards) {
    const bool drawn = rewards.epsilon == 0 || rewards.epsilon == .01 || rewards.epsilon == .1 || rewards.epsilon == .5;
    if (!drawn) continue;
    ChartSeries& series = series_named(figure.chart, fmt::format("epsilon {:g}", rewards.epsilon), looks());
    for (std::size_t i = 0; i < runs.marks.size(); ++i) {
      series.points.push_back(mean_point(static_cast<double>(runs.marks[i]), rewards.at(i), rewards.runs.size()));
    }
    if (!rewards.private_run) continue;
    ChartSeries& beside = series_named(figure.chart, fmt::format("private, epsilon {:g}", rewards.epsilon), looks());
    for (const CurvePoint& point : rewards.private_run->curve) {
      if (point.step < runs.marks.front()) continue;
      beside.points.push_back({static_cast<double>(point.step), point.average_reward, std::nullopt});
    }
  }
  return figure;
}

PageFigure eta_figure(const HannunPaperRuns& runs) {
  PageFigure figure{"Figure 2",
                    "Horizontal: the reward at epsilon 0, where eta is unbounded, at the end of the sweep.",
                    {"Average reward by eta = log(A / epsilon), one line a number of steps T", "eta, one opened action",
                     "average reward"}};
  for (const std::uint64_t steps : hannun_reference(runs.is_mnist).steps) {
    const auto mark = runs.mark_of(steps);
    if (!mark) continue;
    ChartSeries& series = series_named(figure.chart, fmt::format("T = {}", steps), looks());
    for (auto rewards = runs.rewards.rbegin(); rewards != runs.rewards.rend(); ++rewards) {
      const auto eta = eta_per_action(10, rewards->epsilon).paper;
      if (eta) series.points.push_back(mean_point(*eta, rewards->at(*mark), rewards->runs.size()));
    }
  }
  ChartSeries& beside = series_named(figure.chart, fmt::format("private, T = {}", runs.rows), looks());
  for (auto rewards = runs.rewards.rbegin(); rewards != runs.rewards.rend(); ++rewards) {
    const auto eta = eta_per_action(10, rewards->epsilon).paper;
    if (!eta || !rewards->private_run) continue;
    beside.points.push_back({*eta, rewards->private_run->average_after(runs.rows), std::nullopt});
  }
  if (beside.points.empty()) figure.chart.series.pop_back();
  figure.chart.baselines.push_back({"epsilon 0", runs.rewards.front().at(runs.marks.size() - 1).mean});
  return figure;
}

PageFigure arms_figure(const HannunPaperRuns& runs) {
  PageFigure figure{"Figure 5",
                    "Arms that are k-means clusters. The whole sweep; epsilon 0, without an eta, is in the table.",
                    {"Average reward by eta, one line a number of arms", "eta, one opened action", "average reward"}};
  for (const HannunArms& arms : runs.arms) {
    ChartSeries& series = series_named(figure.chart, counted(arms.arms, "arm"), looks());
    for (auto rewards = arms.rewards.rbegin(); rewards != arms.rewards.rend(); ++rewards) {
      const auto eta = eta_per_action(arms.arms, rewards->epsilon).paper;
      if (eta) series.points.push_back(mean_point(*eta, rewards->at(0), rewards->runs.size()));
    }
  }
  return figure;
}

PageFigure attacks_figure(const HannunPaperRuns& runs) {
  PageFigure figure{"Figure 6",
                    "Whole numbers of steps on a logarithmic axis; what chance alone gives is part of every point.",
                    {.title = "Advantage of membership inference by reward",
                     .x_label = "steps",
                     .y_label = "advantage",
                     .log_x = true}};
  for (const HannunAttacks& attacks : runs.attacks) {
    ChartSeries& series = series_named(figure.chart, fmt::format("epsilon {:g}", attacks.epsilon), looks());
    for (std::size_t i = 0; i < runs.attack_marks.size(); ++i) {
      series.points.push_back({static_cast<double>(runs.attack_marks[i]), attacks.by_reward(i).mean, std::nullopt});
    }
  }
  return figure;
}

LineChart cells_chart(std::string title, std::string x_label, const std::vector<HannunFixedPoint>& cells,
                      const std::function<std::string(const FixedPointSettings&)>& name,
                      const std::function<double(const FixedPointSettings&)>& x) {
  LineChart chart{std::move(title), std::move(x_label), "average reward"};
  for (const HannunFixedPoint& cell : cells) {
    const std::string of_cell = name(cell.settings);
    ChartSeries& series = series_named(chart, of_cell, looks());
    series.points.push_back(mean_point(x(cell.settings), mean_and_sd(cell.rewards), cell.rewards.size()));
  }
  return chart;
}

PageFigure precision_figure(const HannunPaperRuns& runs) {
  PageFigure figure{"Figure 7",
                    "The published arithmetic is best at 20 bits and collapses above: failed divisions spoil the "
                    "reciprocal first. Rounding down spoils fewer bits, rounding to the nearest freezes small updates.",
                    cells_chart("Average reward by bits of precision", "bits L", runs.precision, hannun_arithmetic,
                                [](const FixedPointSettings& s) { return s.bits; })};
  ChartSeries sotto{"h7", "sotto, private runs", {}};
  for (const HannunPrivateRun& run : runs.private_bits) {
    if (!run.refused.empty()) continue;
    sotto.points.push_back({static_cast<double>(run.settings.bits), run.average_after(runs.rows), std::nullopt});
  }
  std::sort(sotto.points.begin(), sotto.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  if (!sotto.points.empty()) figure.chart.series.push_back(std::move(sotto));
  return figure;
}

PageFigure newton_figure(const HannunPaperRuns& runs) {
  return {"Figure 8", "Reciprocals in (1/2, 1): any start does, and the linear one needs no step at all.",
          cells_chart(
              "Average reward by Newton steps", "Newton steps", runs.newton,
              [](const FixedPointSettings& s) {
                return std::string(s.start == NewtonStart::published ? "published start" : "linear start");
              },
              [](const FixedPointSettings& s) { return s.newton_steps; })};
}

using Count = std::size_t HannunStepTime::*;

PageFigure times_figure(const HannunPaperRuns& runs, const char* heading, Count x, Count line, const char* x_noun,
                        const char* line_noun) {
  PageFigure figure{heading,
                    "All roles are processes of this machine.",
                    {fmt::format("Milliseconds a step by {}", noun(2, x_noun)), noun(2, x_noun), "ms a step"}};
  for (const HannunStepTime& time : runs.step_times) {
    const std::string name = counted(time.*line, line_noun);
    ChartSeries& series = series_named(figure.chart, name, looks());
    series.points.push_back({static_cast<double>(time.*x), time.step_us / 1e3, std::nullopt});
  }
  return figure;
}

std::vector<PageFigure> charts_of(const HannunPaperRuns& runs) {
  std::vector<PageFigure> charts;
  if (!runs.rewards.empty()) {
    charts.push_back(curve_figure(runs));
    charts.push_back(eta_figure(runs));
  }
  if (!runs.step_times.empty()) {
    charts.push_back(times_figure(runs, "Figure 3", &HannunStepTime::arms, &HannunStepTime::parties, "arm", "party"));
    charts.push_back(times_figure(runs, "Figure 4", &HannunStepTime::parties, &HannunStepTime::arms, "party", "arm"));
  }
  if (!runs.arms.empty()) charts.push_back(arms_figure(runs));
  if (!runs.attacks.empty()) charts.push_back(attacks_figure(runs));
  if (!runs.precision.empty()) charts.push_back(precision_figure(runs));
  if (!runs.newton.empty()) charts.push_back(newton_figure(runs));
  return charts;
}

std::string about_of(const HannunPaperRuns& runs) {
  return fmt::format(
      "Section 5 and appendix D of Hannun et al. 2019, <em>Privacy-Preserving Contextual Bandits</em>: {} as contexts "
      "of 20 principal components and norm 1, one sweep. Rewards are those of the plain-text twin over seeds, with a "
      "private run next to it. Masks of these runs are drawn from seeds, so that they can be repeated; they protect "
      "nobody.",
      runs.is_mnist ? "MNIST&rsquo;s 60,000 training images"
                    : "the 1797 digits that come with sotto, as MNIST was not there (<code>scripts/get-mnist</code> "
                      "brings it, <code>--mnist</code> takes its folder),");
}

}  // namespace

ReportPage hannun_paper_page(const HannunPaperRuns& runs, const std::vector<FigureTable>& tables) {
  ReportPage page;
  page.title = "privacy-preserving contextual bandits, reproduced";
  page.style = series_style(looks());
  page.eyebrow = fmt::format("sotto-lab paper hannun &middot; {} &middot; {}", escape_html(runs.data),
                             counted(runs.options.seeds, "seed"));
  page.heading = "Privacy-preserving contextual bandits, reproduced";
  page.about = about_of(runs);
  add_charts(page, charts_of(runs));
  page.add_tables(std::span(tables).subspan(1));
  page.add_tables(std::span(tables).first(1));
  return page;
}

}  // namespace sotto::apps::lab
