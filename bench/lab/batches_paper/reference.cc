#include "bench/lab/batches_paper/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/count.h"

namespace sotto::apps::lab {
namespace {

constexpr const char* digits = "digits";
constexpr const char* mnist = "MNIST";

// Where the means of the last quarter lie, whatever the setting.
struct LastQuarter {
  const char* set;
  double least;
  double most;
};
constexpr LastQuarter last_quarters[] = {{digits, .864, .869}, {mnist, .775, .778}};

std::string with_error(double mean, double error) { return fmt::format("{:.4f} ({:.4f})", mean, error); }

Check reward_check(const BatchCell& cell, const BatchReference& reference) {
  const double mean = cell.reward().mean;
  const double error = cell.standard_error();
  const double away = in_errors(mean - reference.mean, error, reference.error);
  return {reference.set,
          name_of(reference.setting),
          "average reward",
          with_error(reference.mean, reference.error),
          fmt::format("{}, {:+.1f} s.e.", with_error(mean, error), away),
          std::abs(away) <= most_errors};
}

Check last_quarter_check(const BatchCell& cell, const LastQuarter& expected) {
  const MeanAndSd ours = cell.last_quarter();
  const double error = ours.sd / std::sqrt(static_cast<double>(cell.twin.size()));
  const double outside = std::max({expected.least - ours.mean, ours.mean - expected.most, 0.0});
  return {expected.set,
          name_of(cell.setting),
          "reward of the last quarter",
          fmt::format("{:.3f} to {:.3f}", expected.least, expected.most),
          with_error(ours.mean, error),
          outside <= most_errors * error};
}

void add_glyph_check(std::vector<Check>& checks, const BatchesRuns& runs) {
  const BatchSetting large{256};
  const BatchCell* const single = runs.find("26 arms", {1});
  const BatchCell* const batches = runs.find("26 arms", large);
  if (single == nullptr || batches == nullptr) return;
  const double least = single->reward().mean - most_lost;
  const double mean = batches->reward().mean;
  checks.push_back({"26 arms", name_of(large), "average reward", fmt::format("{:.4f} or more", least),
                    with_error(mean, batches->standard_error()), mean >= least});
}

void add_private_check(std::vector<Check>& checks, const BatchesRuns& runs, const BatchCell& cell) {
  if (cell.private_rewards.empty()) return;
  const std::size_t count = cell.private_rewards.size();
  const double mean = mean_and_sd(cell.private_rewards).mean;
  const MeanAndSd twin = cell.reward();
  // Single runs of both are alike, so the twin's deviation serves for both.
  const double error = twin.sd / std::sqrt(static_cast<double>(count));
  const double away = in_errors(mean - twin.mean, error, cell.standard_error());
  checks.push_back({runs.sets[cell.set].name, name_of(cell.setting), counted(count, "private run"),
                    with_error(twin.mean, cell.standard_error()),
                    fmt::format("{}, {:+.1f} s.e.", with_error(mean, error), away), std::abs(away) <= most_errors});
}

}  // namespace

const std::vector<BatchReference>& batch_references() {
  static const std::vector<BatchReference> references = {
      {digits, {1}, .832, .0018},
      {digits, {16}, .835, .002},
      {digits, {64}, .830, .003},
      {digits, {256}, .835, .001},
      {digits, {1024}, .781, .001},
      {digits, {1024, 0, true}, .823, .003},
      {digits, {16, 1}, .832, .002},
      {digits, {16, 4}, .830, .003},
      {digits, {64, 1}, .830, .002},
      {digits, {64, 4}, .822, .002},
      {digits, {256, 1}, .816, .001},
      {digits, {256, 4}, .757, .001},
      {digits, {256, 1, true}, .822, .002},
      {digits, {256, 4, true}, .788, .004},
      {mnist, {1}, .7676, .0005},
      {mnist, {64}, .7674, .0009},
      {mnist, {256}, .7689, .0007},
      {mnist, {1024}, .7589, .0006},
      {mnist, {1024, 0, true}, .7668, .0009},
      {mnist, {64, 1}, .7673, .0006},
      {mnist, {64, 4}, .7658, .0008},
      {mnist, {256, 1}, .7647, .0005},
      {mnist, {256, 4}, .7533, .0007},
      {mnist, {256, 1, true}, .7656, .0011},
      {mnist, {256, 4, true}, .7598, .0007},
  };
  return references;
}

double in_errors(double difference, double one_error, double other_error) {
  const double error = std::hypot(one_error, other_error);
  if (difference == 0) return 0;
  return error > 0 ? difference / error : std::copysign(std::numeric_limits<double>::infinity(), difference);
}

std::vector<Check> check_batches(const BatchesRuns& runs) {
  std::vector<Check> checks;
  if (runs.options.events) return checks;
  for (const BatchReference& reference : batch_references()) {
    const BatchCell* const cell = runs.find(reference.set, reference.setting);
    if (cell == nullptr) continue;
    checks.push_back(reward_check(*cell, reference));
    for (const LastQuarter& expected : last_quarters) {
      if (runs.sets[cell->set].name == expected.set) checks.push_back(last_quarter_check(*cell, expected));
    }
  }
  add_glyph_check(checks, runs);
  for (const BatchCell& cell : runs.cells) add_private_check(checks, runs, cell);
  return checks;
}

}  // namespace sotto::apps::lab
