#include "sotto/bench/lab/robin_paper/result.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::apps {
namespace {

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

}  // namespace sotto::apps
