#include "sotto/apps/bandit/role/role_report.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/files/json_file.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// One list of the scalar fields, for both directions.
template <class Report, class F>
void for_each_scalar(Report& r, F f) {
  f("role", r.role);
  f("insecure", r.insecure);
  f("joint_norm_holds", r.joint_norm_holds);
  f("rounds", r.rounds);
  f("bytes_sent", r.bytes_sent);
  f("planned_bytes_sent", r.planned_bytes_sent);
  f("step_rounds", r.step_rounds);
  f("step_bytes_sent", r.step_bytes_sent);
  f("step_dealt_bytes", r.step_dealt_bytes);
  f("dealt_bytes", r.dealt_bytes);
  f("epoch", r.epoch);
  f("from_step", r.from_step);
  f("steps_begun", r.steps_begun);
  f("setup_seconds", r.setup_seconds);
  f("dealing_seconds", r.dealing_seconds);
  f("online_seconds", r.online_seconds);
  f("waiting_for_dealer_seconds", r.waiting_for_dealer_seconds);
  f("waiting_for_peers_seconds", r.waiting_for_peers_seconds);
  f("cpu_seconds", r.cpu_seconds);
  f("peak_memory_bytes", r.peak_memory_bytes);
  f("arms", r.arms);
}

template <class T>
void read_optional(const nlohmann::json& json, const char* name, std::optional<T>& value) {
  if (json.contains(name)) value = json.at(name).get<T>();
}

}  // namespace

void write_role_report(const std::filesystem::path& path, const RoleReport& report) {
  nlohmann::json json;
  for_each_scalar(report, [&](const char* name, const auto& value) { json[name] = value; });
  json["reward_curve"] = nlohmann::json::array();
  for (const CurvePoint& point : report.reward_curve) {
    json["reward_curve"].push_back({point.step, point.average_reward});
  }
  if (report.average_reward) json["average_reward"] = *report.average_reward;
  if (report.weights) json["weights"] = *report.weights;
  if (report.inverse_matrices) json["inverse_matrices"] = *report.inverse_matrices;
  write_file(path, json_text(json));
}

RoleReport read_role_report(const std::filesystem::path& path) {
  RoleReport report;
  try {
    const nlohmann::json json = read_json(path, "the report of a role", longest_report);
    for_each_scalar(report, [&](const char* name, auto& value) { json.at(name).get_to(value); });
    for (const nlohmann::json& point : json.at("reward_curve")) {
      report.reward_curve.push_back(
          CurvePoint{point.at(0).get<std::uint64_t>(), point.at(1).get<double>(), std::nullopt});
    }
    read_optional(json, "average_reward", report.average_reward);
    read_optional(json, "weights", report.weights);
    read_optional(json, "inverse_matrices", report.inverse_matrices);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string(), std::string("not the report of a role: ") + error.what());
  }
  return report;
}

}  // namespace sotto::apps
