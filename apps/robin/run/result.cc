#include "sotto/apps/robin/run/result.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/or_null.h"
#include "sotto/apps/robin/names.h"
#include "sotto/apps/robin/roles/learned.h"

namespace sotto::apps {
namespace {

using Json = nlohmann::ordered_json;

void add_settings(Json& object, const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  object["clients"] = settings.clients;
  object["dimension"] = settings.dimension;
  object["arms"] = settings.arms;
  object["horizon"] = settings.horizon;
  object["init_phases"] = settings.init_phases;
  object["epsilon"] = settings.epsilon;
  object["delta"] = promised_delta(settings.composition, settings.delta);
  object["composition"] = name_of(settings.composition);
  object["noise"] = noise_text(settings.noise);
  object["range"] = range_text(settings.range);
  object["adaptive"] = settings.adaptive;
  object["most_misfire"] = settings.most_misfire;
  object["noise_sd"] = settings.noise_sd;
  object["lambda_min"] = settings.lambda_min;
  object["tau_factor"] = settings.tau_factor;
  object["alpha"] = settings.alpha;
  object["ridge"] = settings.ridge;
  object["bound"] = settings.bound;
  object["reward_bound"] = settings.reward_bound;
  object["simulated"] = result.files.empty();
  if (result.files.empty()) {
    object["margin"] = settings.margin;
    object["diversity"] = settings.diversity;
    object["seed"] = settings.seed;
  } else {
    object["files"] = result.files;
    object["regret_against"] = result.has_means ? "best mean" : "best reward in hindsight";
  }
  object["insecure"] = result.insecure;
}

void add_decision(Json& object, const RobinDecision& decision) {
  object["mode"] = mode_text(decision.mode);
  object["refused"] = decision.mode == RobinMode::refused;
  object["misfire"] = decision.misfire;
  object["enough_clients"] = or_null(decision.enough_clients);
  object["enough_epsilon"] = or_null(decision.enough_epsilon);
  object["why"] = decision.why.empty() ? Json(nullptr) : Json(decision.why);
}

Json learned_json(bool local) {
  Json object = Json::object();
  for (const auto& [role, sentence] : robin_learned(local)) object[role] = sentence;
  return object;
}

Json releases_json(const std::vector<Release>& releases) {
  Json list = Json::array();
  for (const Release& release : releases) {
    list.push_back({{"phase", release.phase},
                    {"steps", release.steps},
                    {"tau", release.tau},
                    {"round_last", release.round_last},
                    {"noise_scale", release.noise_scale},
                    {"noise_sd", release.noise_sd},
                    {"rho", release.rho},
                    {"eps_spent", release.epsilon_spent},
                    {"clipped", release.clipped}});
  }
  return list;
}

Json phases_json(const std::vector<PhaseFigures>& phases) {
  Json list = Json::array();
  for (const PhaseFigures& phase : phases) {
    list.push_back({{"phase", phase.phase},
                    {"first_step", phase.first_step},
                    {"steps", phase.steps},
                    {"local", phase.local},
                    {"regret", phase.regret},
                    {"reward", phase.reward},
                    {"estimate_error", or_null(phase.estimate_error)}});
  }
  return list;
}

Json roles_json(const std::vector<RobinRoleCost>& roles) {
  Json list = Json::array();
  for (const RobinRoleCost& role : roles) {
    list.push_back({{"role", role.role},
                    {"bytes_sent", role.bytes_sent},
                    {"cpu_seconds", role.cpu_seconds},
                    {"peak_memory_bytes", role.peak_memory_bytes}});
  }
  return list;
}

void add_figures(Json& object, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  object["regret_per_client"] = or_null(outcome.regret_per_client);
  object["regret_local"] = or_null(outcome.regret_local);
  object["regret_nonprivate"] = or_null(outcome.regret_nonprivate);
  object["twin_clients"] = outcome.twin_clients;
  object["reward_per_client"] = or_null(outcome.reward_per_client);
  object["eps_spent"] = outcome.epsilon_spent;
  object["delta_spent"] = outcome.delta_spent;
  object["rho_spent"] = outcome.rho_spent;
  object["clipped"] = {{"features", outcome.clipped.features},
                       {"rewards", outcome.clipped.rewards},
                       {"estimates", outcome.clipped.estimates}};
  object["estimate"] = result.estimate;
  object["play_seconds"] = or_null(result.play_seconds);
  object["wall_seconds"] = or_null(result.wall_seconds);
  object["releases"] = releases_json(outcome.releases);
  object["phases"] = phases_json(outcome.phases);
  object["local_phases"] = phases_json(outcome.local_phases);
  object["nonprivate_phases"] = phases_json(outcome.nonprivate_phases);
  object["roles"] = roles_json(result.roles);
}

}  // namespace

std::vector<std::pair<std::uint64_t, double>> regret_curve(
    const std::vector<PhaseFigures>& phases) {
  std::vector<std::pair<std::uint64_t, double>> curve;
  double regret = 0;
  for (const PhaseFigures& phase : phases) {
    regret += phase.regret;
    curve.emplace_back(phase.first_step + phase.steps, regret);
  }
  return curve;
}

std::string status_text(RobinStatus status) {
  switch (status) {
    case RobinStatus::complete:
      return "complete";
    case RobinStatus::refused:
      return "refused";
    case RobinStatus::failed:
      return "failed";
  }
  return {};
}

Json to_json(const RobinResult& result) {
  Json object;
  object["status"] = status_text(result.status);
  if (result.error) object["error"] = *result.error;
  object["version"] = result.version;
  object["command"] = result.command;
  object["started"] = result.started;
  add_settings(object, result);
  add_decision(object, result.outcome.decision);
  add_figures(object, result);
  object["learned"] = learned_json(result.outcome.decision.mode == RobinMode::local);
  return object;
}

}  // namespace sotto::apps
