#include "apps/kit/files/json.h"
#include "bench/lab/robin_paper/robin.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {

using namespace sotto::apps::robin;
namespace {

std::vector<PhaseFigures> phases_with(const RobinSettings& settings, double regret) {
  std::vector<PhaseFigures> figures;
  for (const Phase& phase : phases_of(checked(settings))) {
    figures.push_back({phase.number, phase.first_step, phase.steps, phase.local, 0, 0, {}});
  }
  figures.front().regret = regret;
  return figures;
}

// Returns runs whose regrets are `factor` times the regrets of the reference. In cells whose reference regret is above
// `most`, ROBIN refuses the aggregation, and clients play by themselves.
RobinPaperRuns paper_runs(double factor, double most) {
  RobinPaperRuns runs;
  runs.options.seeds = 2;
  for (const RobinReference& reference : robin_references()) {
    RobinCell cell;
    cell.settings = paper_settings(reference.dimension, reference.clients, reference.epsilon, 8190);
    RobinOutcome outcome;
    outcome.settings = cell.settings;
    outcome.phases = phases_with(cell.settings, factor * reference.mean);
    outcome.regret_per_client = factor * reference.mean;
    if (reference.mean > most) {
      outcome.decision.mode = RobinMode::local;
      outcome.decision.misfire = 1;
    }
    cell.outcomes = {outcome, outcome};
    runs.cells.push_back(cell);
  }
  for (const auto& [d, local, nonprivate] : {std::tuple{4U, 30.7, 13.0}, {8U, 97.8, 48.2}}) {
    const RobinSettings settings = paper_settings(d, 1000, 1, 8190);
    const auto twice = [&](double regret) {
      return std::vector<std::vector<PhaseFigures>>(2, phases_with(settings, factor * regret));
    };
    runs.local.push_back({d, 250, twice(local)});
    runs.nonprivate.push_back({d, 1000, twice(nonprivate)});
  }
  return runs;
}

std::size_t failed(const std::vector<Check>& checks, const std::string& figure) {
  return static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [&](const Check& check) { return !check.passed && check.figure == figure; }));
}

TEST(RobinReference, TakesItsOwnFiguresForWithin) {
  const auto checks = check_robin(paper_runs(1, 100));
  EXPECT_EQ(checks.size(), robin_references().size() + 4);
  EXPECT_TRUE(all_passed(checks));
}

TEST(RobinReference, ComparesNoOtherHorizon) {
  RobinPaperRuns runs = paper_runs(1, 100);
  runs.options.horizon = 4094;
  EXPECT_TRUE(check_robin(runs).empty());
}

TEST(RobinReference, TwinsMustAgreeBothWaysAndRobinMayBeBetter) {
  const auto better = check_robin(paper_runs(.9, 100));
  EXPECT_EQ(failed(better, "twins"), 4U);
  EXPECT_EQ(failed(better, "ROBIN"), 0U);
  EXPECT_TRUE(std::any_of(better.begin(), better.end(),
                          [](const Check& check) { return check.ours.find("better") != std::string::npos; }));
  const auto worse = check_robin(paper_runs(2.2, 100));
  EXPECT_EQ(failed(worse, "twins"), 4U);
  EXPECT_GE(failed(worse, "ROBIN"), robin_references().size() - 2);
}

TEST(RobinPaper, CellsAreOneForEachReferenceAndDiffer) {
  for (const bool quick : {true, false}) {
    const auto cells = paper_cells({5, 1, 8190, quick});
    for (const RobinReference& reference : robin_references()) {
      const RobinSettings wanted = paper_settings(reference.dimension, reference.clients, reference.epsilon, 8190);
      EXPECT_EQ(std::count_if(cells.begin(), cells.end(),
                              [&](const RobinSettings& s) {
                                return s.dimension == wanted.dimension && s.clients == wanted.clients &&
                                       s.epsilon == wanted.epsilon && s.horizon == 8190 &&
                                       s.noise == NoiseKind::laplace && s.composition == Composition::zcdp &&
                                       s.range == RangeKind::private_range;
                              }),
                1);
    }
  }
  EXPECT_GT(paper_cells({5, 1, 8190, false}).size(), paper_cells({5, 1, 8190, true}).size());
  for (const RobinSettings& settings : paper_cells({5, 1, 300, false})) {
    EXPECT_NO_THROW((void)checked(settings));
    EXPECT_LE(settings.horizon, 300U);
  }
}

TEST(RobinPaper, ChartsLeaveOutWhatWasRefused) {
  const auto charts = robin_paper_charts(paper_runs(1, 100));
  ASSERT_EQ(charts.size(), 4U);
  const LineChart& clients = charts[0].chart;
  ASSERT_EQ(clients.series.size(), 3U);
  EXPECT_EQ(clients.series[0].points.size(), 2U);
  EXPECT_EQ(clients.series[1].points.size(), 3U);
  EXPECT_EQ(clients.series[1].points[0].x, 200);
  EXPECT_TRUE(clients.log_x);
  const LineChart& steps = charts[3].chart;
  EXPECT_EQ(steps.series[0].points.size(), 13U);
  EXPECT_EQ(steps.series[0].points.back().x, 8190);
}

TEST(RobinPaper, PageIsSelfContained) {
  Experiment result = robin_paper(paper_runs(1, 100));
  result.provenance.cpu = "<&>";
  const std::string html = report_html(result);
  EXPECT_THAT(html, AllOf(HasSubstr("15 of 15 figures"), HasSubstr("&lt;&amp;&gt;")));
  for (const char* word : {"<script", "http://", "https://", "nan"}) {
    EXPECT_THAT(html, Not(HasSubstr(word))) << word;
  }
  const auto json = to_json(result);
  EXPECT_EQ(json["all_passed"], true);
  EXPECT_EQ(json["cells"].size(), robin_references().size());
  EXPECT_EQ(json["tables"]["checks"].size(), result.checks.size());
  EXPECT_THAT(summary_text(result), HasSubstr("refused; adaptive"));
}

}  // namespace
}  // namespace sotto::apps::lab
