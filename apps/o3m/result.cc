#include "sotto/apps/o3m/result.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/apps/o3m/leakage.h"

namespace sotto::apps {
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

}  // namespace sotto::apps
