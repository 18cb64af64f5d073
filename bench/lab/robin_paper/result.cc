#include "sotto/bench/lab/robin_paper/result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sotto/apps/kit/process/usage.h"
#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/robin/settings.h"
#include "sotto/bench/lab/columns.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
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
      columns("dimension: d; arms: K; clients: M; epsilon: eps; horizon: T; "
              "misfire_percent: chance of a misfire, %; refused; noise_sd: noise of the first release, sd; regret; "
              "sd; regret_local: local; regret_nonprivate: not private"));
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
  FigureTable table(
      "mechanisms", "Other mechanisms, M = 1000, eps 1",
      columns("composition; noise; range: private range; misfire_percent: chance of a misfire, %; refused; "
              "enough_clients: clients that would do; noise_sd: noise of the first release, sd; regret; sd"));
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

}  // namespace sotto::apps
