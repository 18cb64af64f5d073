#include "bench/lab/robin_paper/result.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/robin/settings.h"
#include "core/text/count.h"

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
    "the "
    "account here is a tight one. Where the reference lets the private range misfire, ours refuses; its figure there "
    "is "
    "that of --adaptive.";

std::string noise_name(NoiseKind noise) { return noise == NoiseKind::laplace ? "Laplace" : "Gaussian"; }

std::string range_name(RangeKind range) {
  return range == RangeKind::private_range ? "in every release" : "round the last release";
}

bool is_plain(const RobinSettings& settings) {
  return settings.noise == NoiseKind::laplace && settings.composition == Composition::zcdp &&
         settings.range == RangeKind::private_range;
}

// Of the first release, where there is one.
std::optional<double> first_noise(const RobinCell& cell) {
  const auto& releases = cell.outcomes.front().releases;
  return releases.empty() ? std::nullopt : std::optional(releases.front().noise_sd);
}

// In percent; what is as good as nothing is 0.
double misfire_percent(const RobinCell& cell) {
  const double percent = 100 * cell.decision().misfire;
  return percent < 1e-6 ? 0 : percent;
}

FigureTable runs_table(const RobinPaperResult& result) {
  FigureTable table(
      "runs",
      fmt::format("Regret a client, mean and standard deviation over {}", counted(result.runs.options.seeds, "seed")),
      "dimension: d; arms: K; clients: M; epsilon: eps; horizon: T; "
      "misfire_percent: chance of a misfire, %; refused; noise_sd: noise of the first release, sd; regret; "
      "sd; regret_local: local; regret_nonprivate: not private");
  for (const RobinCell& cell : result.runs.cells) {
    const RobinSettings& s = cell.settings;
    if (!is_plain(s)) continue;
    const MeanAndSd regret = cell.regret();
    table.add({s.dimension, s.arms, s.clients, s.epsilon, s.horizon, misfire_percent(cell), cell.refused(),
               first_noise(cell), regret.mean, regret.sd, result.runs.local_twin(s.dimension).regret(s.horizon).mean,
               result.runs.nonprivate_twin(s.dimension, s.clients).regret(s.horizon).mean});
  }
  table.note(
      "Laplace noise, one zCDP account, a private range in every release; delta 1e-5. A run whose chance of a misfire "
      "is above 1% is refused; its regret is that of --adaptive, local LinUCB.");
  return table;
}

FigureTable mechanisms_table(const RobinPaperResult& result) {
  FigureTable table("mechanisms", "Other mechanisms, M = 1000, eps 1",
                    "composition; noise; range: private range; misfire_percent: chance of a misfire, %; refused; "
                    "enough_clients: clients that would do; noise_sd: noise of the first release, sd; regret; sd");
  for (const RobinCell& cell : result.runs.cells) {
    const RobinSettings& s = cell.settings;
    const RobinSettings here = paper_settings(4, 1000, 1, result.runs.options.horizon);
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

constexpr double tolerance = 0.05;  // of the mean, where no spread is known

struct TwinReference {
  std::size_t dimension;
  double local;
  double nonprivate;
};

constexpr TwinReference twin_references[] = {{4, 30.7, 13.0}, {8, 97.8, 48.2}};
constexpr std::size_t reference_clients = 1000;  // of the non-private twin

double error_of(const MeanAndSd& ours, std::size_t seeds) { return ours.sd / std::sqrt(static_cast<double>(seeds)); }

std::string with_sd(double mean, std::optional<double> sd) {
  return sd ? fmt::format("{} +- {}", three_digits(mean), three_digits(*sd)) : three_digits(mean);
}

std::string shape_name(std::size_t dimension) {
  const RobinSettings settings = paper_settings(dimension, 2, 1, reference_horizon);
  return fmt::format("d = {}, K = {}", settings.dimension, settings.arms);
}

void add_twin(std::vector<Check>& checks, const RobinTwin& twin, const char* quantity, double expected) {
  const MeanAndSd ours = twin.regret(reference_horizon);
  const double slack = tolerance * expected + 2 * error_of(ours, twin.runs.size());
  checks.push_back({"twins", shape_name(twin.dimension), quantity, three_digits(expected), with_sd(ours.mean, ours.sd),
                    std::abs(ours.mean - expected) <= slack});
}

Check check_cell(const RobinCell& cell, const RobinReference& reference) {
  const MeanAndSd ours = cell.regret();
  const double spread = reference.spread.value_or(tolerance * reference.mean);
  const double most = reference.mean + spread + 2 * error_of(ours, cell.outcomes.size());
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

}  // namespace

RobinPaperResult run_robin_paper(const RobinPaperOptions& options,
                                 const std::function<void(const std::string&)>& progress,
                                 const std::atomic<bool>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  RobinPaperResult result;
  result.runs = play_robin_paper(options, progress, interrupted);
  result.checks = check_robin(result.runs);
  result.seconds = seconds_since(start);
  return result;
}

std::string RobinPaperResult::verdict() const {
  return checks.empty() ? "Nothing was compared, the reference is for 8190 steps" : apps::verdict(checks);
}

ordered_json to_json(const RobinPaperResult& result) {
  const RobinPaperOptions& options = result.runs.options;
  ordered_json json = experiment_json("robin paper", result.checks, result.verdict(), result.seconds, result.provenance,
                                      {{"seeds", options.seeds},
                                       {"first_seed", options.first_seed},
                                       {"horizon", options.horizon},
                                       {"quick", options.quick},
                                       {"insecure_coins", true}},
                                      robin_paper_tables(result));
  for (const RobinCell& cell : result.runs.cells) json["cells"].push_back(cell_json(cell));
  for (const RobinTwin& twin : result.runs.local) json["local"].push_back(twin_json(twin));
  for (const RobinTwin& twin : result.runs.nonprivate) json["nonprivate"].push_back(twin_json(twin));
  return json;
}

std::string summary_text(const RobinPaperResult& result, const TextOptions&) {
  std::string text;
  for (const FigureTable& table : robin_paper_tables(result)) text += table.to_text() + "\n";
  return text + result.verdict() + ".\n";
}

std::vector<FigureTable> robin_paper_tables(const RobinPaperResult& result) {
  return {check_table(result.checks, within_note), runs_table(result), mechanisms_table(result)};
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

}  // namespace sotto::apps::lab
