#include "bench/lab/o3m_paper/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/kit/report/human.h"
#include "bench/lab/o3m_paper/cost_model.h"

namespace sotto::apps::lab {
namespace {

constexpr double small_variance = 0.0025;  // sd .05
constexpr double large_variance = 0.05;
constexpr double largest_score_difference = 1e-9;

bool is_reference_setting(const RegretSettings& settings) {
  const RegretSettings wanted;
  return settings.arms == wanted.arms && settings.columns == wanted.columns && settings.steps == wanted.steps &&
         settings.beta == wanted.beta && settings.v == wanted.v && settings.lambda == wanted.lambda;
}

bool same(double a, double b) { return std::abs(a - b) < 1e-9; }

std::string with_spread(double mean, double spread) {
  return fmt::format("{} +- {}", three_digits(mean), three_digits(spread));
}

std::string figure_of(PaperPolicy policy) {
  return policy == PaperPolicy::most || policy == PaperPolicy::least ? "4, 6" : "4";
}

Check in_model(const std::string& quantity, const std::string& expected, double value, double low, double high) {
  return {"5", "the paper's cost model", quantity, expected, three_digits(value), value >= low && value <= high};
}

// What the paper says about figure 4: partial bandits have more than 10 times the regret, and more than 250 more of it.
void add_statements(std::vector<Check>& checks, const RegretRuns& runs) {
  for (const LinearAlgorithm algorithm : paper_algorithms) {
    const double least = at_end(runs.of(algorithm, PaperPolicy::least).regret).mean;
    const double masked = at_end(runs.of(algorithm, PaperPolicy::masked).regret).mean;
    const std::string pair = fmt::format("regret of {}, {{}} that of {}", policy_name(algorithm, PaperPolicy::least),
                                         policy_name(algorithm, PaperPolicy::masked));
    const std::string setting = noise_name(runs.settings.noise_sd);
    checks.push_back({"4, 6", setting, fmt::format(fmt::runtime(pair), "over"), "above 10",
                      three_digits(least / masked), least > 10 * masked});
    checks.push_back({"4", setting, fmt::format(fmt::runtime(pair), "less"), "above 250", three_digits(least - masked),
                      least - masked > 250});
  }
}

}  // namespace

// Of LinTS and of uniform play the reference gives no spread. LinTS has that of LinUCB; uniform play two percent, two
// standard deviations of 5000 steps.
const std::vector<RegretReference>& regret_references() {
  using Algorithm = LinearAlgorithm;
  using Policy = PaperPolicy;
  static const std::vector<RegretReference> references = {
      {small_variance, Algorithm::ucb, Policy::central, 18.4, 2.2},
      {small_variance, Algorithm::ucb, Policy::masked, 18.4, 2.2},
      {small_variance, Algorithm::ucb, Policy::most, 112, 33},
      {small_variance, Algorithm::ucb, Policy::least, 447, 16},
      {small_variance, Algorithm::ts, Policy::central, 18.3, 2.2},
      {small_variance, Algorithm::ts, Policy::masked, 18.5, 2.2},
      {small_variance, Algorithm::ts, Policy::most, 111, 33},
      {small_variance, Algorithm::ts, Policy::least, 445, 16},
      {small_variance, Algorithm::ucb, Policy::uniform, 764, 15},
      {large_variance, Algorithm::ucb, Policy::central, 120, 11},
      {large_variance, Algorithm::ucb, Policy::masked, 120, 11},
      {large_variance, Algorithm::ucb, Policy::most, 194, 25},
      {large_variance, Algorithm::ucb, Policy::least, 478, 24},
      {large_variance, Algorithm::ts, Policy::central, 118, 11},
      {large_variance, Algorithm::ts, Policy::masked, 120, 11},
      {large_variance, Algorithm::ts, Policy::most, 195, 25},
      {large_variance, Algorithm::ts, Policy::least, 485, 24},
      {large_variance, Algorithm::ucb, Policy::uniform, 764, 15},
  };
  return references;
}

std::vector<Check> check_regret(const RegretRuns& runs) {
  std::vector<Check> checks;
  if (!is_reference_setting(runs.settings)) return checks;
  for (const RegretReference& reference : regret_references()) {
    if (!same(reference.noise_variance, runs.settings.noise_sd * runs.settings.noise_sd)) continue;
    const RepeatedCurve& curve = runs.of(reference.algorithm, reference.policy).regret;
    const MeanAndSd ours = at_end(curve);
    const double error = ours.sd / std::sqrt(static_cast<double>(curve.size()));
    checks.push_back({figure_of(reference.policy), noise_name(runs.settings.noise_sd),
                      "regret of " + policy_name(reference.algorithm, reference.policy),
                      with_spread(reference.mean, reference.spread), with_spread(ours.mean, ours.sd),
                      std::abs(ours.mean - reference.mean) <= reference.spread + 2 * error});
  }
  // Only with the smaller noise are the paper's curves so far apart.
  if (!checks.empty() && same(runs.settings.noise_sd, 0.05)) add_statements(checks, runs);
  return checks;
}

std::vector<Check> check_lossless(const RegretRuns& runs) {
  const std::string setting = noise_name(runs.settings.noise_sd);
  std::vector<Check> checks;
  checks.push_back({"4", setting, "arms of VFUCB and VFTS", "those of LinUCB and LinTS",
                    runs.arms_equal ? "the same" : "not the same", runs.arms_equal});
  for (const auto& [algorithm, difference] : runs.max_score_difference) {
    checks.push_back(
        {"4", setting,
         fmt::format("scores of {}, largest difference from {}", policy_name(algorithm, PaperPolicy::masked),
                     policy_name(algorithm, PaperPolicy::central)),
         "at most 1e-09", fmt::format("{:.1e}", difference), difference <= largest_score_difference});
  }
  return checks;
}

std::vector<Check> check_cost_model() {
  double ucb = 0, ts = 0;
  for (const std::size_t arms : {100U, 500U, 1000U}) {
    for (std::size_t d = 100; d <= 5000; d += 100) {
      ucb = std::max(ucb, relative_cost(LinearAlgorithm::ucb, {5000, arms, d, 5}));
    }
    ts = std::max(ts, relative_cost(LinearAlgorithm::ts, {5000, arms, 5000, 5}));
  }
  const double first = relative_cost(LinearAlgorithm::ts, {5000, 1000, 100, 5});
  const double step = model_step_bytes({5000, 1000, 1000, 5}) / 1e9;
  return {
      in_model("VFUCB / LinUCB, at most, d from 100", "at most 2", ucb, 1, 2),
      in_model("VFTS / LinTS at K = 1000, d = 100", "above 5", first, 5, 10),
      in_model("VFTS / LinTS at d = 5000, at most", "almost 1", ts, 1, 1.25),
      in_model("GB a step at d = K = 1000", "0.04", step, 0.0395, 0.0405),
  };
}

std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy) {
  const bool ucb = algorithm == LinearAlgorithm::ucb;
  if (policy == PaperPolicy::uniform) return "uniform play";
  if (policy == PaperPolicy::masked) return ucb ? "VFUCB" : "VFTS";
  std::string central = ucb ? "LinUCB" : "LinTS";
  if (policy == PaperPolicy::central) return central;
  return central + (policy == PaperPolicy::most ? ", 80% of the features" : ", 20% of the features");
}

std::string noise_name(double noise_sd) {
  return same(noise_sd * noise_sd, large_variance) ? "noise variance 0.05" : fmt::format("noise sd {:g}", noise_sd);
}

}  // namespace sotto::apps::lab
