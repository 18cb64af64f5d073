#include "apps/kit/report/described.h"
#include "bench/lab/robin_paper/robin.h"

namespace sotto::apps::lab {

using namespace sotto::apps::robin;
namespace {

using nlohmann::ordered_json;

ordered_json cell_json(const RobinCell& cell) {
  const RobinSettings& s = cell.settings;
  ordered_json json{{"dimension", s.dimension},
                    {"arms", s.arms},
                    {"clients", s.clients},
                    {"epsilon", s.epsilon},
                    {"delta", s.delta},
                    {"horizon", s.horizon},
                    {"init_phases", s.init_phases},
                    {"composition", name_of(s.composition)},
                    {"noise", noise_text(s.noise)},
                    {"range", s.range == RangeKind::private_range ? "private" : "last_release"},
                    {"misfire", cell.decision().misfire},
                    {"refused", cell.refused()},
                    {"why", cell.decision().why}};
  for (const RobinOutcome& outcome : cell.outcomes) {
    json["runs"].push_back({{"seed", outcome.settings.seed},
                            {"lambda_min", outcome.settings.lambda_min},
                            {"regret_per_client", outcome.regret_per_client.value_or(0)},
                            {"eps_spent", outcome.epsilon_spent},
                            {"rewards_clipped", outcome.clipped.rewards},
                            {"estimates_clipped", outcome.clipped.estimates},
                            {"phases", json_of(outcome.phases)}});
  }
  return json;
}

ordered_json twin_json(const RobinTwin& twin) {
  ordered_json json{{"dimension", twin.dimension}, {"clients", twin.clients}};
  for (const auto& phases : twin.runs) json["runs"].push_back(json_of(phases));
  return json;
}

constexpr const char* within_note =
    "Regret a client after 8190 steps: mean +- standard deviation over seeds. A twin is within where its mean, give or "
    "take two of its standard errors, is within 5% of the reference's. ROBIN is within where it is not above the "
    "reference by more than the reference's spread (5% where it has none) and two standard errors. It may be below: "
    "the account here is a tight one. Where the reference lets the private range misfire, ours refuses; its figure "
    "there is that of --adaptive.";

std::string noise_name(NoiseKind noise) { return noise == NoiseKind::laplace ? "Laplace" : "Gaussian"; }

std::string range_name(RangeKind range) {
  return range == RangeKind::private_range ? "in every release" : "round the last release";
}

bool is_plain(const RobinSettings& settings) {
  return settings.noise == NoiseKind::laplace && settings.composition == Composition::zcdp &&
         settings.range == RangeKind::private_range;
}

std::optional<double> first_noise(const RobinCell& cell) {
  const auto& releases = cell.outcomes.front().releases;
  return releases.empty() ? std::nullopt : std::optional(releases.front().noise_sd);
}

double misfire_percent(const RobinCell& cell) {
  const double percent = 100 * cell.decision().misfire;
  return percent < 1e-6 ? 0 : percent;
}

FigureTable runs_table(const RobinPaperRuns& runs) {
  FigureTable table(
      "runs", fmt::format("Regret a client, mean and standard deviation over {}", counted(runs.options.seeds, "seed")),
      "dimension: d; arms: K; clients: M; epsilon: eps; horizon: T; misfire_percent: chance of a misfire, %; refused; "
      "noise_sd: noise of the first release, sd; regret; sd; regret_local: local; regret_nonprivate: not private");
  for (const RobinCell& cell : runs.cells) {
    const RobinSettings& s = cell.settings;
    if (!is_plain(s)) continue;
    const MeanAndSd regret = cell.regret();
    table.add({s.dimension, s.arms, s.clients, s.epsilon, s.horizon, misfire_percent(cell), cell.refused(),
               first_noise(cell), regret.mean, regret.sd, runs.local_twin(s.dimension).regret(s.horizon).mean,
               runs.nonprivate_twin(s.dimension, s.clients).regret(s.horizon).mean});
  }
  table.note(
      "Laplace noise, one zCDP account, a private range in every release; delta 1e-5. A run whose chance of a misfire "
      "is above 1% is refused; its regret is that of --adaptive, local LinUCB.");
  return table;
}

FigureTable mechanisms_table(const RobinPaperRuns& runs) {
  FigureTable table("mechanisms", "Other mechanisms, M = 1000, eps 1",
                    "composition; noise; range: private range; misfire_percent: chance of a misfire, %; refused; "
                    "enough_clients: clients that would do; noise_sd: noise of the first release, sd; regret; sd");
  for (const RobinCell& cell : runs.cells) {
    const RobinSettings& s = cell.settings;
    const RobinSettings here = paper_settings(4, 1000, 1, runs.options.horizon);
    if (s.dimension != here.dimension || s.clients != here.clients || s.epsilon != here.epsilon ||
        s.horizon != here.horizon) {
      continue;
    }
    const MeanAndSd regret = cell.regret();
    table.add({std::string(name_of(s.composition)), noise_name(s.noise), range_name(s.range), misfire_percent(cell),
               cell.refused(), cell.decision().enough_clients, first_noise(cell), regret.mean, regret.sd});
  }
  table.note(
      "Nested advanced composition is the paper's: over the coordinates of a release, and once more over releases. "
      "Round the last release: the private range is looked for once, in the first release, and estimates are clipped "
      "round the last release after.");
  return table;
}

constexpr double tolerance = 0.05;  // relative to the mean; used if no spread is known

struct TwinReference {
  std::size_t dimension;
  double local;
  double nonprivate;
};

constexpr TwinReference twin_references[] = {{4, 30.7, 13.0}, {8, 97.8, 48.2}};
constexpr std::uint64_t reference_horizon = 8190;
constexpr std::size_t reference_clients = 1000;

std::string with_sd(double mean, std::optional<double> sd) {
  return sd ? fmt::format("{} +- {}", three_digits(mean), three_digits(*sd)) : three_digits(mean);
}

std::string shape_name(std::size_t dimension) {
  const RobinSettings settings = paper_settings(dimension, 2, 1, reference_horizon);
  return fmt::format("d = {}, K = {}", settings.dimension, settings.arms);
}

void add_twin(std::vector<Check>& checks, const RobinTwin& twin, const char* quantity, double expected) {
  const MeanAndSd ours = twin.regret(reference_horizon);
  const double slack = tolerance * expected + 2 * standard_error(ours, twin.runs.size());
  checks.push_back({"twins", shape_name(twin.dimension), quantity, three_digits(expected), with_sd(ours.mean, ours.sd),
                    std::abs(ours.mean - expected) <= slack});
}

Check check_cell(const RobinCell& cell, const RobinReference& reference) {
  const MeanAndSd ours = cell.regret();
  const double spread = reference.spread.value_or(tolerance * reference.mean);
  const double most = reference.mean + spread + 2 * standard_error(ours, cell.outcomes.size());
  Check check{
      "ROBIN",
      fmt::format("{}, M = {}, eps {:g}", shape_name(reference.dimension), reference.clients, reference.epsilon),
      "regret",
      with_sd(reference.mean, reference.spread),
      with_sd(ours.mean, ours.sd),
      ours.mean <= most};
  if (cell.refused()) {
    check.quantity = "refused, or regret";
    check.ours = "refused; adaptive " + check.ours;
  } else if (ours.mean < reference.mean - spread) {
    check.ours += ", better";
  }
  return check;
}

constexpr std::size_t drawn_dimension = 4;
constexpr std::size_t usual_clients = 1000;

struct Sweep {
  const char* heading;
  const char* caption;
  const char* x_label;
  std::string others;
  double (*x)(const RobinSettings&);
  std::function<RobinSettings(const RobinSettings&)> usual;
};

PageFigure sweep_figure(const RobinPaperRuns& runs, const Sweep& sweep) {
  std::vector<const RobinCell*> row;
  for (const RobinCell& cell : runs.cells) {
    if (runs.find(sweep.usual(cell.settings)) == &cell) row.push_back(&cell);
  }
  std::sort(row.begin(), row.end(),
            [&](const RobinCell* a, const RobinCell* b) { return sweep.x(a->settings) < sweep.x(b->settings); });
  const std::size_t seeds = runs.options.seeds;
  ChartSeries robin{"robin", "ROBIN", {}};
  ChartSeries local{"robin-local", "local LinUCB", {}};
  ChartSeries nonprivate{"robin-nonprivate", "federated, not private", {}};
  for (const RobinCell* cell : row) {
    const RobinSettings& s = cell->settings;
    const double at = sweep.x(s);
    if (!cell->refused()) robin.points.push_back(mean_point(at, cell->regret(), seeds));
    local.points.push_back(mean_point(at, runs.local_twin(s.dimension).regret(s.horizon), seeds));
    nonprivate.points.push_back(mean_point(at, runs.nonprivate_twin(s.dimension, s.clients).regret(s.horizon), seeds));
  }
  return {sweep.heading,
          sweep.caption,
          {.title = "Regret a client, " + sweep.others,
           .x_label = sweep.x_label,
           .y_label = "regret a client",
           .series = {std::move(robin), std::move(local), std::move(nonprivate)},
           .log_x = true}};
}

std::vector<Sweep> sweeps(std::uint64_t horizon) {
  const std::size_t d = drawn_dimension;
  return {{"Regret against the number of clients",
           "ROBIN's line begins where a run is not refused. Shaded: one standard deviation over seeds.", "clients M",
           fmt::format("eps 1, T = {}", horizon), [](const RobinSettings& s) { return static_cast<double>(s.clients); },
           [=](const RobinSettings& s) { return paper_settings(d, s.clients, 1, horizon); }},
          {"Regret against epsilon",
           "What privacy costs: the distance from the line without it. Below ROBIN's first epsilon a run is refused.",
           "epsilon", fmt::format("M = 1000, T = {}", horizon), [](const RobinSettings& s) { return s.epsilon; },
           [=](const RobinSettings& s) { return paper_settings(d, usual_clients, s.epsilon, horizon); }},
          {"Regret against the horizon",
           "Each horizon is a run of its own: the more releases it has, the smaller the share of the budget that each "
           "gets.",
           "steps T", "M = 1000, eps 1", [](const RobinSettings& s) { return static_cast<double>(s.horizon); },
           [=](const RobinSettings& s) { return paper_settings(d, usual_clients, 1, s.horizon); }}};
}

ChartSeries phase_series(const char* css, const char* name, const std::vector<std::vector<PhaseFigures>>& seeds) {
  ChartSeries series{css, name, {{0, 0, std::nullopt}}};
  for (std::size_t i = 0; i < seeds.front().size(); ++i) {
    const auto so_far = [i](const auto& phases) { return total_regret(std::span(phases).first(i + 1)); };
    const PhaseFigures& phase = seeds.front()[i];
    series.points.push_back(
        mean_point(static_cast<double>(phase.first_step + phase.steps), mean_over(seeds, so_far), seeds.size()));
  }
  return series;
}

std::optional<PageFigure> steps_chart(const RobinPaperRuns& runs) {
  const RobinCell* cell = runs.find(paper_settings(drawn_dimension, usual_clients, 1, runs.options.horizon));
  if (cell == nullptr || cell->refused()) return std::nullopt;
  std::vector<std::vector<PhaseFigures>> seeds;
  for (const RobinOutcome& outcome : cell->outcomes) seeds.push_back(outcome.phases);
  PageFigure figure{"Regret by step",
                    "The first 126 steps are local LinUCB for all three. After the first release ROBIN's regret is "
                    "what its noise costs.",
                    {"Cumulative regret a client, M = 1000, eps 1", "steps", "regret a client"}};
  figure.chart.series = {phase_series("robin", "ROBIN", seeds),
                         phase_series("robin-local", "local LinUCB", runs.local_twin(drawn_dimension).runs),
                         phase_series("robin-nonprivate", "federated, not private",
                                      runs.nonprivate_twin(drawn_dimension, usual_clients).runs)};
  return figure;
}

struct RobinArguments {
  RobinPaperOptions options;
  Option* seeds = nullptr;
};

void declare_robin(Command& command, RobinArguments& arguments) {
  RobinPaperOptions& options = arguments.options;
  arguments.seeds = command.add_option("--seeds", options.seeds, "Runs of each setting", whole(1, 1000));
  add_first_seed(command, options.first_seed, "run");
  command.add_option("--horizon", options.horizon, "Steps of each client; the reference to compare with is for 8190",
                     whole(254, std::uint64_t{1} << 24));
  command.add_flag("--quick", options.quick, "2 seeds unless --seeds says other, and no more than 4000 clients");
}

Play plan_robin(const RobinArguments& arguments) {
  constexpr std::size_t quick_seeds = 2;
  RobinPaperOptions options = arguments.options;
  if (options.quick && arguments.seeds->count() == 0) options.seeds = quick_seeds;
  return [options](const Runner& runner) { return robin_paper(play_robin_paper(options, runner)); };
}

}  // namespace

Experiment robin_paper(const RobinPaperRuns& runs) {
  const RobinPaperOptions& options = runs.options;
  Experiment experiment{"robin paper",
                        {{"seeds", options.seeds},
                         {"first_seed", options.first_seed},
                         {"horizon", options.horizon},
                         {"quick", options.quick},
                         {"insecure_coins", true}}};
  for (const RobinCell& cell : runs.cells) experiment.rest["cells"].push_back(cell_json(cell));
  for (const RobinTwin& twin : runs.local) experiment.rest["local"].push_back(twin_json(twin));
  for (const RobinTwin& twin : runs.nonprivate) experiment.rest["nonprivate"].push_back(twin_json(twin));
  experiment.checks = check_robin(runs);
  experiment.verdict =
      experiment.checks.empty() ? "Nothing was compared, the reference is for 8190 steps" : verdict(experiment.checks);
  experiment.tables = {check_table(experiment.checks, within_note), runs_table(runs), mechanisms_table(runs)};
  ReportPage& page = experiment.page;
  page.title = "federated linear bandits with user-level privacy, reproduced";
  page.style = series_style({{"robin", "#1d5c9e", "#7ab4f0"},
                             {"robin-local", "#b8651b", "#e6a55c", "stroke-dasharray: 9 4;"},
                             {"robin-nonprivate", "#2d6a4f", "#7bc8a0", "stroke-dasharray: 3 4;"}});
  page.eyebrow = fmt::format("sotto-lab paper robin &middot; {}", counted(options.seeds, "seed"));
  page.heading = "Federated linear bandits with user-level privacy, reproduced";
  page.about =
      "ROBIN of Huang et al. 2023, <em>Federated Linear Contextual Bandits with User-level Differential Privacy</em>, "
      "on simulated clients: regret of a client against the number of clients, epsilon and the horizon, next to the "
      "same clients without each other and without privacy. Where the private range would misfire, a run is refused. "
      "Noise of these runs is drawn from seeds, so that they can be repeated; it protects nobody.";
  page.add_tables(std::span(experiment.tables).first(1));
  add_charts(page, robin_paper_charts(runs));
  page.add_tables(std::span(experiment.tables).subspan(1));
  return experiment;
}

std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs) {
  std::vector<PageFigure> charts;
  for (const Sweep& sweep : sweeps(runs.options.horizon)) charts.push_back(sweep_figure(runs, sweep));
  if (auto steps = steps_chart(runs)) charts.push_back(std::move(*steps));
  return charts;
}

const std::vector<RobinReference>& robin_references() {
  static const std::vector<RobinReference> references = {
      {4, 200, 1, 2753},       {4, 200, 3, 200, 197},  {4, 200, 10, 14.0},  {4, 1000, .5, 286, 322},
      {4, 1000, 1, 17.8, 3.8}, {4, 1000, 3, 13.6, .5}, {4, 4000, .5, 13.8}, {4, 4000, 1, 13.2},
      {8, 1000, 3, 49.8},      {8, 1000, 1, 62.1},     {8, 200, 10, 54.4},
  };
  return references;
}

std::vector<Check> check_robin(const RobinPaperRuns& runs) {
  std::vector<Check> checks;
  if (runs.options.horizon != reference_horizon) return checks;
  for (const TwinReference& twin : twin_references) {
    add_twin(checks, runs.local_twin(twin.dimension), "regret of local LinUCB", twin.local);
    add_twin(checks, runs.nonprivate_twin(twin.dimension, reference_clients),
             "regret of the federated bandit without privacy", twin.nonprivate);
  }
  for (const RobinReference& reference : robin_references()) {
    const RobinCell* cell =
        runs.find(paper_settings(reference.dimension, reference.clients, reference.epsilon, reference_horizon));
    if (cell != nullptr) checks.push_back(check_cell(*cell, reference));
  }
  return checks;
}

void add_robin_paper_command(Command& paper) {
  add_experiment<RobinArguments>(
      *paper.add_subcommand("robin", "Play ROBIN at several clients, epsilons and horizons, and compare"),
      "Examples:\n"
      "  sotto-lab paper robin --out paper\n"
      "  sotto-lab paper robin --quick --json",
      declare_robin, plan_robin);
}

}  // namespace sotto::apps::lab
