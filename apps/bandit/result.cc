#include "sotto/apps/bandit/result.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "sotto/apps/kit/report/or_null.h"

namespace sotto::apps {
namespace {

using nlohmann::json;

struct Scalar {
  const char* name;
  std::optional<double> BanditResult::*member;
};

// The measured scalars: what repeated runs average.
constexpr Scalar scalars[] = {
    {"average_reward", &BanditResult::average_reward},
    {"plaintext_average_reward", &BanditResult::plaintext_average_reward},
    {"uniform_average_reward", &BanditResult::uniform_average_reward},
    {"best_average_reward", &BanditResult::best_average_reward},
    {"rounds_per_step", &BanditResult::rounds_per_step},
    {"bytes_per_step", &BanditResult::bytes_per_step},
    {"dealt_bytes_per_step", &BanditResult::dealt_bytes_per_step},
    {"online_seconds", &BanditResult::online_seconds},
    {"dealer_seconds", &BanditResult::dealer_seconds},
    {"seconds_per_step", &BanditResult::seconds_per_step},
};

json curve_json(const Curve& curve) {
  json list = json::array();
  for (const CurvePoint& point : curve) {
    json entry = {{"step", point.step}, {"average_reward", point.average_reward}};
    if (point.sd) entry["average_reward_sd"] = *point.sd;
    list.push_back(std::move(entry));
  }
  return list;
}

json privacy_json(const EtaComposed& eta) {
  json composed = {{"basic", or_null<json>(eta.basic)},
                   {"optimal", or_null<json>(eta.optimal)},
                   {"delta", eta.delta}};
  composed["bound"] = eta.basic ? "finite" : "unbounded";
  return composed;
}

json comparison_json(const PlaintextComparison& comparison) {
  json differences = json::array();
  for (const ArmDifference& difference : comparison.first_differences) {
    differences.push_back({{"step", difference.step},
                           {"arm", difference.arm},
                           {"plaintext_arm", difference.plaintext_arm},
                           {"gap", difference.gap}});
  }
  json curve = json::array();
  for (const CurvePoint& point : comparison.agreement_curve) {
    curve.push_back({{"step", point.step}, {"agreement", point.average_reward}});
  }
  return {{"steps", comparison.steps},
          {"agreeing_steps", comparison.agreeing_steps},
          {"agreement", comparison.agreement},
          {"expected_agreement", comparison.expected_agreement},
          {"near_ties", comparison.near_ties},
          {"near_tie_gap", comparison.near_tie_gap},
          {"average_gap", comparison.average_gap},
          {"largest_gap", comparison.largest_gap},
          {"agreement_curve", std::move(curve)},
          {"first_differences", std::move(differences)},
          {"largest_weight_difference", or_null<json>(comparison.largest_weight_difference)}};
}

json inputs_json(const std::vector<PartyInput>& inputs) {
  json list = json::array();
  for (const PartyInput& input : inputs) {
    list.push_back({{"name", input.name},
                    {"file", input.file},
                    {"features", input.features},
                    {"max_norm", input.max_norm}});
  }
  return list;
}

json phases_json(const std::vector<PhaseCost>& phases) {
  json list = json::array();
  for (const PhaseCost& phase : phases) {
    list.push_back({{"name", phase.name},
                    {"seconds", phase.seconds},
                    {"rounds", phase.rounds},
                    {"bytes", phase.bytes},
                    {"dealt_bytes", phase.dealt_bytes}});
  }
  return list;
}

json rounds_json(const std::vector<RoundCost>& rounds) {
  json list = json::array();
  for (const RoundCost& round : rounds) {
    json entry = {{"round", round.round}, {"labels", round.labels}, {"bytes", round.bytes}};
    if (round.seconds) entry["seconds"] = *round.seconds;
    list.push_back(std::move(entry));
  }
  return list;
}

json roles_json(const std::vector<RoleCost>& roles) {
  json list = json::array();
  for (const RoleCost& role : roles) {
    list.push_back({{"role", role.role},
                    {"cpu_seconds", role.cpu_seconds},
                    {"peak_memory_bytes", role.peak_memory_bytes}});
  }
  return list;
}

json link_json(const net::LinkConditions& link, const std::optional<LinkModel>& model) {
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  const std::string loss = net::loss_text(link);
  json object = {
      {"emulated", true},
      {"delay_seconds", seconds(link.delay)},
      {"jitter_seconds", seconds(link.jitter)},
      {"bits_per_second", link.bits_per_second > 0 ? json(link.bits_per_second) : json()},
      {"loss", loss.empty() ? json() : json(loss)}};
  if (!model) return object;
  object["model"] = {{"delay_seconds_per_step", model->delay},
                     {"transfer_seconds_per_step", model->transfer},
                     {"jitter_seconds_per_step", model->jitter},
                     {"arithmetic_seconds_per_step", model->arithmetic},
                     {"seconds_per_step", model->total()},
                     {"measured_seconds_per_step", model->measured},
                     {"error_percent", model->error_percent()}};
  return object;
}

json views_json(const std::vector<RoleView>& views) {
  json list = json::array();
  for (const RoleView& view : views) {
    list.push_back({{"role", view.role}, {"learns", view.learns}, {"never_sees", view.never_sees}});
  }
  return list;
}

void add_parameters(json& object, const BanditResult& result) {
  object["steps"] = result.steps;
  object["arms"] = result.arms;
  object["features"] = result.features;
  object["parties"] = result.parties;
  object["epsilon"] = result.epsilon;
  object["max_norm"] = result.max_norm;
  object["joint_norm_holds"] = result.joint_norm_holds;
  object["fraction_bits"] = result.fraction_bits;
  object["inverse_fraction_bits"] = result.inverse_fraction_bits;
  object["comparison_bits"] = result.comparison_bits;
  object["reward_bits"] = result.reward_bits;
  object["repeats"] = result.repeats;
  object["inputs"] = inputs_json(result.inputs);
  object["environment"] = result.environment;
  object["insecure"] = result.insecure;
}

struct MeanAndSd {
  double mean = 0;
  double sd = 0;
};

MeanAndSd mean_and_sd(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanAndSd result;
  for (const double value : values) result.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.sd = std::sqrt(squares / (count - 1));
  return result;
}

// The mean of member(item) over the items at one position of every run.
template <typename Item, typename Member>
double mean_of(std::span<const BanditResult> runs, std::vector<Item> BanditResult::*list,
               std::size_t index, Member member) {
  double sum = 0;
  for (const BanditResult& run : runs) sum += (run.*list)[index].*member;
  return sum / static_cast<double>(runs.size());
}

template <typename Item>
bool same_length(std::span<const BanditResult> runs, std::vector<Item> BanditResult::*list) {
  return std::all_of(runs.begin(), runs.end(), [&](const BanditResult& run) {
    return (run.*list).size() == (runs.front().*list).size();
  });
}

void average_costs(std::span<const BanditResult> runs, BanditResult& result) {
  if (same_length(runs, &BanditResult::roles)) {
    for (std::size_t i = 0; i < result.roles.size(); ++i) {
      RoleCost& role = result.roles[i];
      role.cpu_seconds = mean_of(runs, &BanditResult::roles, i, &RoleCost::cpu_seconds);
      for (const BanditResult& run : runs) {
        role.peak_memory_bytes = std::max(role.peak_memory_bytes, run.roles[i].peak_memory_bytes);
      }
    }
  }
  if (same_length(runs, &BanditResult::phases)) {
    for (std::size_t i = 0; i < result.phases.size(); ++i) {
      PhaseCost& phase = result.phases[i];
      phase.seconds = mean_of(runs, &BanditResult::phases, i, &PhaseCost::seconds);
      phase.rounds = mean_of(runs, &BanditResult::phases, i, &PhaseCost::rounds);
      phase.bytes = mean_of(runs, &BanditResult::phases, i, &PhaseCost::bytes);
      phase.dealt_bytes = mean_of(runs, &BanditResult::phases, i, &PhaseCost::dealt_bytes);
    }
  }
  if (!same_length(runs, &BanditResult::step_rounds)) return;
  for (std::size_t i = 0; i < result.step_rounds.size(); ++i) {
    RoundCost& round = result.step_rounds[i];
    round.bytes = mean_of(runs, &BanditResult::step_rounds, i, &RoundCost::bytes);
    if (!round.seconds) continue;
    double sum = 0;
    for (const BanditResult& run : runs) sum += run.step_rounds[i].seconds.value_or(0);
    round.seconds = sum / static_cast<double>(runs.size());
  }
}

void average_link_models(std::span<const BanditResult> runs, BanditResult& result) {
  if (!result.link_model) return;
  const auto count = static_cast<double>(runs.size());
  for (double LinkModel::*part : {&LinkModel::delay, &LinkModel::transfer, &LinkModel::jitter,
                                  &LinkModel::arithmetic, &LinkModel::measured}) {
    double sum = 0;
    for (const BanditResult& run : runs) {
      if (!run.link_model) return;
      sum += (*run.link_model).*part;
    }
    (*result.link_model).*part = sum / count;
  }
}

Curve average_of(std::span<const BanditResult> runs, Curve BanditResult::*member) {
  std::vector<Curve> curves;
  curves.reserve(runs.size());
  for (const BanditResult& run : runs) curves.push_back(run.*member);
  return average_curves(curves);
}

}  // namespace

nlohmann::json to_json(const BanditResult& result) {
  json object;
  object["status"] = result.status == RunStatus::complete ? "complete" : "failed";
  if (result.error) object["error"] = *result.error;
  object["version"] = result.version;
  object["command"] = result.command;
  object["started"] = result.started;
  add_parameters(object, result);
  object["eta_per_action"] = {{"exact", or_null<json>(result.eta_per_action.exact)},
                              {"paper", or_null<json>(result.eta_per_action.paper)}};
  object["eta_composed"] = privacy_json(result.eta_composed);
  object["views"] = views_json(result.views);
  for (const Scalar& scalar : scalars) object[scalar.name] = or_null<json>(result.*scalar.member);
  for (const auto& [name, sd] : result.sd) object[name + "_sd"] = sd;
  object["reward_curve"] = curve_json(result.reward_curve);
  object["plaintext_curve"] = curve_json(result.plaintext_curve);
  if (result.compare_plaintext) {
    object["compare_plaintext"] = comparison_json(*result.compare_plaintext);
  }
  object["phases"] = phases_json(result.phases);
  object["step_rounds"] = rounds_json(result.step_rounds);
  if (result.state) {
    object["state"] = {{"checkpoint_every", result.state->checkpoint_every},
                       {"epochs", result.state->epochs},
                       {"from_step", result.state->from_step},
                       {"repeated_steps", result.state->repeated_steps}};
  }
  if (result.link) object["link"] = link_json(*result.link, result.link_model);
  object["roles"] = roles_json(result.roles);
  if (result.weights) object["weights"] = *result.weights;
  if (result.inverse_matrices) object["inverse_matrices"] = *result.inverse_matrices;
  if (!result.runs.empty()) object["runs"] = result.runs;
  return object;
}

BanditResult average(std::span<const BanditResult> runs) {
  if (runs.empty()) throw std::invalid_argument("average: no runs");
  BanditResult result = runs.front();
  result.repeats = runs.size();
  const auto failed = std::find_if(runs.begin(), runs.end(), [](const BanditResult& run) {
    return run.status == RunStatus::failed;
  });
  if (failed != runs.end()) {
    result.status = RunStatus::failed;
    result.error = failed->error;
  }
  result.runs.resize(runs.size());
  for (const Scalar& scalar : scalars) {
    std::vector<double> values;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::optional<double>& value = runs[i].*scalar.member;
      if (!value) continue;
      values.push_back(*value);
      result.runs[i][scalar.name] = *value;
    }
    if (values.empty()) continue;
    const MeanAndSd moments = mean_and_sd(values);
    result.*scalar.member = moments.mean;
    result.sd[scalar.name] = moments.sd;
  }
  if (result.status == RunStatus::complete) {  // an unfinished run's curve has other steps
    result.reward_curve = average_of(runs, &BanditResult::reward_curve);
    result.plaintext_curve = average_of(runs, &BanditResult::plaintext_curve);
  }
  average_costs(runs, result);
  average_link_models(runs, result);
  return result;
}

}  // namespace sotto::apps
