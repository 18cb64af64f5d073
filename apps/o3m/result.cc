#include "apps/o3m/result.h"

#include <fmt/format.h>

#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/o3m/leakage.h"
#include "core/text/count.h"

namespace sotto::apps::o3m {
namespace {

using Json = nlohmann::ordered_json;

void add_parameters(FieldWriter<Json> field, const O3mResult& result) {
  const O3mParameters& parameters = result.parameters;
  field("algorithm", parameters.algorithm == LinearAlgorithm::ucb ? "ucb" : "ts");
  field("steps", parameters.steps);
  field("arm_count", parameters.arms);
  field("participants", parameters.participants());
  field("dimension", parameters.dimension());
  field("beta", parameters.beta);
  field("v", parameters.v);
  field("lambda", parameters.lambda);
  field("mask_generator", parameters.mask_generator ? Json(*parameters.mask_generator) : Json("third-party"));
  field("secure_summation", !parameters.insecure_blocks);
  Json inputs = Json::array();
  for (const PartyInput& input : result.inputs) {
    inputs.push_back(
        {{"role", input.name}, {"file", input.file}, {"features", input.features}, {"bound", input.max_norm}});
  }
  field("inputs", inputs);
  field("environment", result.environment);
  field.unless_empty("arms_file", result.arms_file);
  if (!result.arms_file.empty()) field("combine", result.combine);
}

void add_central(FieldWriter<Json> field, const std::optional<CentralComparison>& central) {
  const auto of = [&](auto CentralComparison::*member) { return central ? Json(*central.*member) : Json(nullptr); };
  field("arms_equal", of(&CentralComparison::arms_equal));
  field("max_score_difference", of(&CentralComparison::max_score_difference));
  field("central_seconds_per_step", of(&CentralComparison::seconds_per_step));
  field("central_average_reward", of(&CentralComparison::average_reward));
  if (central) field.unless_empty("first_difference", central->first_difference);
}

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

std::string leakage_of_arm_features(const O3mResult& result) {
  if (result.combine != combine_text(Combine::outer_sum)) return {};
  return "All know the arm features, and the difference of two arms is a known context, the same for every user: the "
         "active participant has these without knowing any user.";
}

Json to_json(const O3mResult& result) {
  Json object;
  const FieldWriter field(object);
  RunHeader::describe(result, field);
  if (result.settings) object["settings"] = settings_json(*result.settings);
  add_parameters(field, result);
  field("leakage", leakage(result.parameters));
  const std::string of_arms = leakage_of_arm_features(result);
  if (!of_arms.empty()) object["leakage"]["active participant"].push_back(of_arms);
  field("leakage_acknowledged", result.leakage_acknowledged);
  field("average_reward", result.average_reward);
  field("uniform_average_reward", result.uniform_average_reward);
  field("cumulative_regret", result.cumulative_regret);
  field("uniform_regret", result.uniform_regret);
  field("seconds_per_step", result.seconds_per_step);
  field("end_to_end_seconds_per_step", result.end_to_end_seconds_per_step);
  field("bytes_per_step", result.bytes_per_step);
  field("setup_seconds", result.setup_seconds);
  field("wall_seconds", result.wall_seconds);
  field("prefetched", result.prefetched);
  add_central(field, result.central);
  field("roles", result.roles);
  field("reward_curve", result.reward_curve);
  field.unless_empty("regret_curve", result.regret_curve);
  field("arms", result.arms);
  field("rewards", result.rewards);
  return object;
}

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

}  // namespace sotto::apps::o3m
