#include "sotto/apps/o3m/result.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/or_null.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/apps/o3m/options.h"

namespace sotto::apps {
namespace {

using Json = nlohmann::ordered_json;

Json inputs_json(const O3mResult& result) {
  Json list = Json::array();
  for (const PartyInput& input : result.inputs) {
    list.push_back({{"role", input.name},
                    {"file", input.file},
                    {"features", input.features},
                    {"bound", input.max_norm}});
  }
  return list;
}

void add_parameters(Json& object, const O3mResult& result) {
  const O3mParameters& parameters = result.parameters;
  object["algorithm"] = algorithm_text(parameters.algorithm);
  object["steps"] = parameters.steps;
  object["arm_count"] = parameters.arms;
  object["participants"] = parameters.participants();
  object["dimension"] = parameters.dimension();
  object["beta"] = parameters.beta;
  object["v"] = parameters.v;
  object["lambda"] = parameters.lambda;
  object["mask_generator"] =
      parameters.mask_generator ? Json(*parameters.mask_generator) : Json("third-party");
  object["secure_summation"] = !parameters.insecure_blocks;
  object["inputs"] = inputs_json(result);
  object["environment"] = result.environment;
  if (!result.arms_file.empty()) {
    object["arms_file"] = result.arms_file;
    object["combine"] = result.combine;
  }
  object["insecure"] = result.insecure;
}

Json reward_curve_json(const Curve& curve) {
  Json list = Json::array();
  for (const CurvePoint& point : curve) {
    list.push_back({{"step", point.step}, {"average_reward", point.average_reward}});
  }
  return list;
}

Json regret_curve_json(const std::vector<RegretPoint>& curve) {
  Json list = Json::array();
  for (const RegretPoint& point : curve) {
    list.push_back({{"step", point.step}, {"cumulative_regret", point.regret}});
  }
  return list;
}

void add_central(Json& object, const O3mResult& result) {
  const auto& central = result.central;
  object["arms_equal"] = central ? Json(central->arms_equal) : Json(nullptr);
  object["max_score_difference"] = central ? Json(central->max_score_difference) : Json(nullptr);
  object["central_seconds_per_step"] = central ? Json(central->seconds_per_step) : Json(nullptr);
  object["central_average_reward"] = central ? Json(central->average_reward) : Json(nullptr);
  if (central && central->first_difference) object["first_difference"] = *central->first_difference;
}

Json roles_json(const std::vector<O3mRoleCost>& roles) {
  Json list = Json::array();
  for (const O3mRoleCost& role : roles) {
    list.push_back({{"role", role.role},
                    {"bytes_sent", role.bytes_sent},
                    {"cpu_seconds", role.cpu_seconds},
                    {"peak_memory_bytes", role.peak_memory_bytes}});
  }
  return list;
}

}  // namespace

std::string leakage_of_arm_features(const O3mResult& result) {
  if (result.combine != combine_text(Combine::outer_sum)) return {};
  return "All know the arm features, and the difference of two arms is a known context, the same "
         "for "
         "every user: the active participant has these without knowing any user.";
}

Json to_json(const O3mResult& result) {
  Json object;
  object["status"] = result.status == RunStatus::complete ? "complete" : "failed";
  if (result.error) object["error"] = *result.error;
  object["version"] = result.version;
  object["command"] = result.command;
  object["started"] = result.started;
  add_parameters(object, result);
  object["leakage"] = leakage(result.parameters);
  const std::string of_arms = leakage_of_arm_features(result);
  if (!of_arms.empty()) object["leakage"]["active participant"].push_back(of_arms);
  object["leakage_acknowledged"] = result.leakage_acknowledged;
  object["average_reward"] = or_null(result.average_reward);
  object["uniform_average_reward"] = or_null(result.uniform_average_reward);
  object["cumulative_regret"] = or_null(result.cumulative_regret);
  object["uniform_regret"] = or_null(result.uniform_regret);
  object["seconds_per_step"] = or_null(result.seconds_per_step);
  object["end_to_end_seconds_per_step"] = or_null(result.end_to_end_seconds_per_step);
  object["bytes_per_step"] = or_null(result.bytes_per_step);
  object["setup_seconds"] = or_null(result.setup_seconds);
  object["wall_seconds"] = or_null(result.wall_seconds);
  object["prefetched"] = or_null(result.prefetched);
  add_central(object, result);
  object["roles"] = roles_json(result.roles);
  object["reward_curve"] = reward_curve_json(result.reward_curve);
  if (!result.regret_curve.empty()) {
    object["regret_curve"] = regret_curve_json(result.regret_curve);
  }
  object["arms"] = result.arms;
  object["rewards"] = result.rewards;
  return object;
}

}  // namespace sotto::apps
