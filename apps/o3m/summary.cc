#include <fmt/format.h>

#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/apps/o3m/result.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

void add_earned(SummaryLines& lines, const O3mResult& result) {
  if (result.average_reward) {
    lines.row("average reward", fmt::format("{:.4f}", *result.average_reward),
              result.uniform_average_reward ? fmt::format("uniform play {:.4f}", *result.uniform_average_reward) : "");
  }
  if (result.cumulative_regret) {
    lines.row("regret", fmt::format("{:.2f}", *result.cumulative_regret),
              fmt::format("of uniform play {:.2f}", result.uniform_regret.value_or(0)));
  }
  if (!result.central) return;
  lines.row("central twin", result.central->arms_equal ? "same arms" : "other arms",
            result.central->first_difference ? fmt::format("from step {} on", *result.central->first_difference)
                                             : "in every step");
  lines.row("scores differ by", fmt::format("{:.1e}", result.central->max_score_difference),
            "at most, from the twin's");
}

void add_cost(SummaryLines& lines, const O3mResult& result) {
  if (result.seconds_per_step) {
    lines.row("time", human_seconds(*result.seconds_per_step),
              result.central
                  ? fmt::format("a step; the central twin's {}", human_seconds(result.central->seconds_per_step))
                  : "a step, at the active participant");
  }
  if (result.end_to_end_seconds_per_step) {
    lines.row("with masking", human_seconds(*result.end_to_end_seconds_per_step),
              "a step, sending and adding up included");
  }
  if (result.bytes_per_step) {
    lines.row("received", human_bytes(*result.bytes_per_step), "a step, by the active participant");
  }
}

}  // namespace

std::string summary_text(const O3mResult& result, const TextOptions& options) {
  SummaryLines lines(options.colour);
  lines.insecure(result.insecure);
  if (result.status == RunStatus::failed) {
    lines.warning("failed: " + result.error.value_or("no reason given"));
    return lines.text();
  }
  const O3mParameters& parameters = result.parameters;
  lines.title(fmt::format("{} of {}, {}, {}, {}", human_count(parameters.steps, "step"),
                          parameters.algorithm == LinearAlgorithm::ucb ? "LinUCB" : "LinTS",
                          counted(parameters.participants(), "participant"), counted(parameters.dimension(), "feature"),
                          counted(parameters.arms, "arm")));
  add_earned(lines, result);
  add_cost(lines, result);
  lines.warning(leakage_headline());
  return lines.text();
}

}  // namespace sotto::apps
