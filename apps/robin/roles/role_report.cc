#include "sotto/apps/robin/roles/role_report.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/files/json_file.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using Json = nlohmann::json;

// One list of the fields of each, for both directions.
template <class Cost, class F>
void for_each_cost(Cost& cost, F f) {
  f("role", cost.role);
  f("bytes_sent", cost.bytes_sent);
  f("cpu_seconds", cost.cpu_seconds);
  f("peak_memory_bytes", cost.peak_memory_bytes);
}

template <class One, class F>
void for_each_release_field(One& release, F f) {
  f("phase", release.phase);
  f("steps", release.steps);
  f("tau", release.tau);
  f("round_last", release.round_last);
  f("noise_scale", release.noise_scale);
  f("noise_sd", release.noise_sd);
  f("rho", release.rho);
  f("eps_spent", release.epsilon_spent);
  f("clipped", release.clipped);
}

template <class Phase, class F>
void for_each_phase_field(Phase& phase, F f) {
  f("regret", phase.regret);
  f("reward", phase.reward);
  f("rewards_clipped", phase.rewards_clipped);
  f("features_clipped", phase.features_clipped);
}

template <class Report, class F>
void for_each_aggregator_field(Report& report, F f) {
  for_each_cost(report.cost, f);
  f("insecure", report.insecure);
  f("misfire", report.decision.misfire);
  f("why", report.decision.why);
  f("estimates", report.estimates);
  f("status", report.status);
  f("version", report.version);
  f("clients", report.clients);
  f("epsilon", report.epsilon);
  f("delta", report.delta);
  f("composition", report.composition);
  f("eps_spent", report.epsilon_spent);
  f("delta_spent", report.delta_spent);
  f("rho_spent", report.rho_spent);
  f("aggregation_seconds", report.aggregation_seconds);
}

template <class Report, class F>
void for_each_client_field(Report& report, F f) {
  for_each_cost(report.cost, f);
  f("first", report.first);
  f("clients", report.clients);
  f("play_seconds", report.play_seconds);
}

struct Put {
  Json& json;
  template <class Value>
  void operator()(const char* name, const Value& value) const {
    json[name] = value;
  }
};

struct Get {
  const Json& json;
  template <class Value>
  void operator()(const char* name, Value& value) const {
    json.at(name).get_to(value);
  }
};

template <class Read>
auto parse(const std::filesystem::path& path, Read read) {
  try {
    return read(read_json(path, "the report of a role", longest_report));
  } catch (const Json::exception& error) {
    throw InputError(path.string(), std::string("not the report of a role: ") + error.what());
  }
}

}  // namespace

std::string mode_text(RobinMode mode) {
  switch (mode) {
    case RobinMode::federated:
      return "federated";
    case RobinMode::refused:
      return "refused";
    case RobinMode::local:
      return "local";
  }
  return {};
}

void write_robin_report(const std::filesystem::path& path, const RobinAggregatorReport& report) {
  Json json;
  for_each_aggregator_field(report, Put{json});
  json["mode"] = mode_text(report.decision.mode);
  json["refused"] = report.decision.mode == RobinMode::refused;
  json["releases"] = Json::array();
  for (const Release& release : report.releases) {
    Json one;
    for_each_release_field(release, Put{one});
    json["releases"].push_back(std::move(one));
  }
  if (report.error) json["error"] = *report.error;
  write_file(path, json_text(json) + "\n");
}

void write_robin_report(const std::filesystem::path& path, const RobinClientReport& report) {
  Json json;
  for_each_client_field(report, Put{json});
  json["phases"] = Json::array();
  for (const PhaseReport& phase : report.phases) {
    Json one;
    for_each_phase_field(phase, Put{one});
    json["phases"].push_back(std::move(one));
  }
  write_file(path, json_text(json) + "\n");
}

RobinAggregatorReport read_robin_aggregator_report(const std::filesystem::path& path) {
  return parse(path, [](const Json& json) {
    RobinAggregatorReport report;
    for_each_aggregator_field(report, Get{json});
    const std::string mode = json.at("mode").get<std::string>();
    for (const RobinMode each : {RobinMode::federated, RobinMode::refused, RobinMode::local}) {
      if (mode == mode_text(each)) report.decision.mode = each;
    }
    for (const Json& one : json.at("releases")) {
      for_each_release_field(report.releases.emplace_back(), Get{one});
    }
    if (json.contains("error")) report.error = json.at("error").get<std::string>();
    return report;
  });
}

RobinClientReport read_robin_client_report(const std::filesystem::path& path) {
  return parse(path, [](const Json& json) {
    RobinClientReport report;
    for_each_client_field(report, Get{json});
    for (const Json& one : json.at("phases")) {
      for_each_phase_field(report.phases.emplace_back(), Get{one});
    }
    return report;
  });
}

}  // namespace sotto::apps
