#include <nlohmann/json.hpp>

#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/worth.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps::bandit::run {
namespace {

using nlohmann::json;

json comparison_json(const PlaintextComparison& comparison) {
  json object = json_of<json>(comparison);
  object["agreement_curve"] = json::array();
  for (const CurvePoint& point : comparison.agreement_curve) {
    object["agreement_curve"].push_back({{"step", point.step}, {"agreement", point.average_reward}});
  }
  return object;
}

json link_json(const net::LinkConditions& link, const std::optional<LinkModel>& model) {
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  const std::string loss = net::loss_text(link);
  json object = {{"emulated", true},
                 {"delay_seconds", seconds(link.delay)},
                 {"jitter_seconds", seconds(link.jitter)},
                 {"bits_per_second", link.bits_per_second > 0 ? json(link.bits_per_second) : json()},
                 {"loss", loss.empty() ? json() : json(loss)}};
  FieldWriter(object).unless_empty("model", model);
  return object;
}

void add_parameters(FieldWriter<json> field, const BanditResult& result) {
  field("steps", result.steps);
  field("arms", result.arms);
  field("features", result.features);
  field("parties", result.parties);
  field("computing_only", result.computing_only);
  field("owners", result.owners);
  field("preprocessing", std::string(name_of(result.preprocessing)));
  field("epsilon", result.epsilon);
  field("max_norm", result.max_norm);
  field("joint_norm_holds", result.joint_norm_holds);
  field("fraction_bits", result.fraction_bits);
  field("inverse_fraction_bits", result.inverse_fraction_bits);
  field("comparison_bits", result.comparison_bits);
  field("reward_bits", result.reward_bits);
  field("batch", result.batch);
  field("reward_lag", result.reward_lag);
  field("contexts_ahead", result.contexts_ahead);
  if (result.batches) field("batches", *result.batches);
  if (result.single_step) field("single_step", *result.single_step);
  field("repeats", result.repeats);
  field("inputs", result.inputs);
  field("environment", result.environment);
  field.unless_empty("money", result.money);
  field.unless_empty("log", result.log);
  field.unless_empty("from", result.from);
  if (result.evaluation_plan) field("evaluation_plan", *result.evaluation_plan);
}

}  // namespace

nlohmann::json to_json(const BanditResult& result) {
  json object;
  const FieldWriter field(object);
  RunHeader::describe(result, field);
  if (result.settings) object["settings"] = settings_json(*result.settings);
  add_parameters(field, result);
  field("eta_per_action", result.eta_per_action);
  field("eta_composed", result.eta_composed);
  field.unless_empty("worth", worth_of(result));
  field("views", result.views);
  field("randomness", result.randomness);
  BanditResult::describe_figures(result, field);
  field("plaintext_average_reward", result.plaintext_average_reward);
  field("plaintext_plays", result.plaintext_plays);
  for (const auto& [name, sd] : result.sd) field(name + "_sd", sd);
  field("sent_bytes_per_event", result.bytes_per_step);
  field("dealt_bytes_per_event", result.dealt_bytes_per_step);
  field("reward_curve", result.reward_curve);
  field("plaintext_curve", result.plaintext_curve);
  if (result.compare_plaintext) {
    field("compare_plaintext", comparison_json(*result.compare_plaintext));
  }
  field.unless_empty("compare_parts", result.parts);
  field.unless_empty("baseline_arm", result.baseline_arm);
  field.unless_empty("evaluation", result.evaluation);
  field.unless_empty("plaintext_evaluation", result.plaintext_evaluation);
  field("phases", result.phases);
  field("step_rounds", result.step_rounds);
  field.unless_empty("state", result.state);
  if (result.link) field("link", link_json(*result.link, result.link_model));
  field("roles", result.roles);
  field.unless_empty("weights", result.weights);
  field.unless_empty("inverse_matrices", result.inverse_matrices);
  field.unless_empty("runs", result.runs);
  return object;
}

}  // namespace sotto::apps::bandit::run
