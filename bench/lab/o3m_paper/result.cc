#include "sotto/bench/lab/o3m_paper/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/process/usage.h"
#include "sotto/apps/kit/report/described.h"

namespace sotto::apps {
namespace {

using nlohmann::ordered_json;

// Standard deviations: 0.05, and that of variance 0.05.
constexpr std::array noises{0.05, 0.22360679774997896};

void add_costs(PaperResult& result, const std::atomic<bool>& interrupted) {
  using Sizes = std::vector<std::size_t>;
  const bool quick = result.options.quick;
  const double seconds = quick ? 0.02 : 0.1;
  const Sizes dimensions = quick ? Sizes{100, 200} : Sizes{100, 200, 300, 500};
  const Sizes arms = quick ? Sizes{100} : Sizes{100, 500, 1000};
  for (const LinearAlgorithm algorithm : paper_algorithms) {
    for (const std::size_t k : arms) {
      for (const std::size_t d : dimensions) {
        result.costs.push_back(measure_cost(algorithm, {5000, k, d, 5}, seconds, interrupted));
      }
    }
    result.steps.push_back(measure_cost(algorithm, {}, 3 * seconds, interrupted));
  }
}

void add_checks(PaperResult& result) {
  const auto add = [&](std::vector<Check> checks) {
    std::move(checks.begin(), checks.end(), std::back_inserter(result.checks));
  };
  for (const RegretRuns& runs : result.regret) {
    add(check_regret(runs));
    add(check_lossless(runs));
  }
  add(check_cost_model());
  if (!result.criteo) return;
  const bool equal = result.criteo->arms_equal;
  result.checks.push_back(
      {"6 (c)", "Criteo", "arms of VFUCB", "those of LinUCB", equal ? "the same" : "not the same", equal});
}

ordered_json curve_json(const RepeatedCurve& curve) {
  ordered_json json{{"mean", ordered_json::array()}, {"sd", ordered_json::array()}};
  const std::size_t points = curve.empty() ? 0 : curve.front().size();
  for (std::size_t i = 0; i < points; ++i) {
    const MeanAndSd value = at_point(curve, i);
    json["mean"].push_back(value.mean);
    json["sd"].push_back(value.sd);
  }
  return json;
}

ordered_json to_json(const RegretRuns& runs) {
  ordered_json json{{"noise_sd", runs.settings.noise_sd}, {"points", runs.points}, {"arms_equal", runs.arms_equal}};
  for (const auto& [algorithm, difference] : runs.max_score_difference) {
    json["max_score_difference"][algorithm == LinearAlgorithm::ucb ? "ucb" : "ts"] = difference;
  }
  for (const auto& [key, policy] : runs.policies) {
    json["policies"].push_back({{"policy", policy_name(key.first, key.second)},
                                {"features", runs.settings.features(key.second)},
                                {"regret", curve_json(policy.regret)},
                                {"norm_difference", curve_json(policy.norm_difference)}});
  }
  json["policies"].push_back(
      {{"policy", "uniform play"}, {"features", 0}, {"regret", curve_json(runs.uniform.regret)}});
  return json;
}

ordered_json to_json(const CriteoRuns& runs) {
  ordered_json json{{"file", runs.settings.file.string()}, {"rows", runs.items.rows},
                    {"events", runs.items.kept},           {"labels", runs.items.labels},
                    {"arms", runs.items.items.size()},     {"beta", runs.settings.beta},
                    {"arms_equal", runs.arms_equal}};
  for (const CriteoPolicy& policy : runs.policies) {
    ordered_json one{{"policy", policy.name},
                     {"features", policy.features},
                     {"ctr", json_of(policy.ctr())},
                     {"relative_ctr", runs.relative_ctr(policy.key)}};
    for (const ReplayEstimate& run : policy.runs) {
      ordered_json curve = ordered_json::array();
      for (const ReplayPoint& point : run.curve()) {
        curve.push_back({point.events, point.kept, point.reward});
      }
      one["runs"].push_back({{"kept", run.kept()}, {"curve", std::move(curve)}});
    }
    json["policies"].push_back(std::move(one));
  }
  return json;
}

ordered_json settings_json(const PaperOptions& options) {
  const RegretSettings& s = options.synthetic;
  return {{"steps", s.steps},
          {"repeats", s.repeats},
          {"dimension", s.dimension()},
          {"arms", s.arms},
          {"columns", s.columns},
          {"beta", s.beta},
          {"v", s.v},
          {"lambda", s.lambda},
          {"seed", s.seed},
          {"quick", options.quick}};
}

}  // namespace

const char* const no_criteo =
    "Figure 6 (c) needs the Criteo log, which does not come with sotto: give it with --criteo FILE. Nothing stands in "
    "for it here.";

std::string PaperResult::verdict() const {
  std::string text = apps::verdict(checks);
  const bool compared = std::any_of(checks.begin(), checks.end(),
                                    [](const Check& check) { return check.quantity.starts_with("regret"); });
  if (!compared) text += "; regret was not compared, the reference is for 5000 steps";
  return text;
}

PaperResult run_paper(const PaperOptions& options, const std::function<void(const std::string&)>& progress,
                      const std::atomic<bool>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  PaperResult result;
  result.options = options;
  if (options.criteo) {  // first, since a file may be at fault
    progress("figure 6 (c): the Criteo log");
    result.criteo = run_criteo(*options.criteo, interrupted);
  }
  for (const double noise : noises) {
    progress(fmt::format("figures 4 and 6: {}", noise_name(noise)));
    RegretSettings settings = options.synthetic;
    settings.noise_sd = noise;
    result.regret.push_back(run_regret(settings, interrupted));
  }
  progress("figure 5 and table 1: costs");
  add_costs(result, interrupted);
  add_checks(result);
  result.seconds = seconds_since(start);
  return result;
}

ordered_json to_json(const PaperResult& result) {
  ordered_json json = experiment_json("o3m paper", result.checks, result.verdict(), result.seconds, result.provenance,
                                      settings_json(result.options), paper_tables(result));
  for (const RegretRuns& runs : result.regret) json["synthetic"].push_back(to_json(runs));
  json["criteo"] = nullptr;
  if (result.criteo) json["criteo"] = to_json(*result.criteo);
  return json;
}

std::string summary_text(const PaperResult& result, const TextOptions&) {
  std::string text;
  for (const FigureTable& table : paper_tables(result)) {
    // The larger ones are in the report.
    if (table.key() == "computation" || table.key() == "communication") continue;
    text += table.to_text() + "\n";
  }
  if (!result.criteo) text += std::string(no_criteo) + "\n";
  return text + result.verdict() + ".\n";
}

}  // namespace sotto::apps
