#include "sotto/bench/lab/robin_paper/result.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "sotto/apps/kit/process/usage.h"
#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/robin/settings.h"

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

}  // namespace sotto::apps
