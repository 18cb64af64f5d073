#include "apps/bandit/run/result/result.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/bandit/run/result/worth.h"
#include "apps/kit/files/json.h"
#include "apps/kit/learn/mean.h"
#include "apps/kit/report/described.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps::bandit::run {
namespace {

using nlohmann::json;

struct Scalar {
  const char* name;
  std::optional<double> BanditResult::*member;
};

// The measured scalars. The result of repeated runs has the averages of these scalars.
constexpr Scalar scalars[] = {
    {"average_reward", &BanditResult::average_reward},
    {"uniform_average_reward", &BanditResult::uniform_average_reward},
    {"best_average_reward", &BanditResult::best_average_reward},
    {"rounds_per_step", &BanditResult::rounds_per_step},
    {"bytes_per_step", &BanditResult::bytes_per_step},
    {"dealt_bytes_per_step", &BanditResult::dealt_bytes_per_step},
    {"online_seconds", &BanditResult::online_seconds},
    {"dealer_seconds", &BanditResult::dealer_seconds},
    {"seconds_per_step", &BanditResult::seconds_per_step},
    {"events_per_second", &BanditResult::events_per_second},
    {"dealer_seconds_per_event", &BanditResult::dealer_seconds_per_event},
    {"preprocessing_rounds_per_step", &BanditResult::preprocessing_rounds_per_step},
    {"preprocessing_bytes_per_step", &BanditResult::preprocessing_bytes_per_step},
    {"preprocessing_seconds", &BanditResult::preprocessing_seconds},
};

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

// The numbers of a described struct that repeated runs average.
struct Doubles {
  std::vector<double*>& found;
  void operator()(const char*, double& value) const { found.push_back(&value); }
  void unless_empty(const char*, std::optional<double>& value) const {
    if (value) found.push_back(&*value);
  }
  void operator()(const char*, const auto&) const {}
  void unless_empty(const char*, const auto&) const {}
  void derived(const char*, const auto&) const {}
};
template <class T>
std::vector<double*> doubles_of(T& item) {
  std::vector<double*> found;
  T::describe(item, Doubles{found});
  return found;
}

// `into` becomes the mean of the runs' items, if all items have equally many numbers.
template <class T>
void average_items(T& into, std::vector<T> items) {
  T mean = into;
  const std::vector<double*> means = doubles_of(mean);
  for (double* number : means) *number = 0;
  for (T& item : items) {
    const std::vector<double*> numbers = doubles_of(item);
    if (numbers.size() != means.size()) return;
    for (std::size_t i = 0; i < means.size(); ++i) {
      *means[i] += *numbers[i] / static_cast<double>(items.size());
    }
  }
  into = mean;
}

template <class T>
void average_lists(std::span<const BanditResult> runs, BanditResult& result, std::vector<T> BanditResult::*list) {
  for (const BanditResult& run : runs) {
    if ((run.*list).size() != (result.*list).size()) return;
  }
  for (std::size_t i = 0; i < (result.*list).size(); ++i) {
    std::vector<T> items;
    for (const BanditResult& run : runs) items.push_back((run.*list)[i]);
    average_items((result.*list)[i], std::move(items));
  }
}

void average_costs(std::span<const BanditResult> runs, BanditResult& result) {
  average_lists(runs, result, &BanditResult::roles);
  average_lists(runs, result, &BanditResult::phases);
  average_lists(runs, result, &BanditResult::step_rounds);
  for (const BanditResult& run : runs) {
    for (std::size_t i = 0; i < std::min(run.roles.size(), result.roles.size()); ++i) {
      std::uint64_t& peak = result.roles[i].peak_memory_bytes;
      peak = std::max(peak, run.roles[i].peak_memory_bytes);
    }
  }
  std::vector<LinkModel> models;
  for (const BanditResult& run : runs) {
    if (run.link_model) models.push_back(*run.link_model);
  }
  if (models.size() == runs.size()) average_items(*result.link_model, std::move(models));
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
  const FieldWriter field(object);
  RunHeader::describe(result, field);
  if (result.settings) object["settings"] = settings_json(*result.settings);
  add_parameters(field, result);
  field("eta_per_action", result.eta_per_action);
  field("eta_composed", result.eta_composed);
  field.unless_empty("worth", worth_of(result));
  field("views", result.views);
  field("randomness", result.randomness);
  for (const Scalar& scalar : scalars) field(scalar.name, result.*scalar.member);
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

BanditResult average(std::span<const BanditResult> runs) {
  if (runs.empty()) throw std::invalid_argument("average: no runs");
  BanditResult result = runs.front();
  result.repeats = runs.size();
  const auto failed =
      std::find_if(runs.begin(), runs.end(), [](const BanditResult& run) { return run.status == RunStatus::failed; });
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
  if (result.status == RunStatus::complete) {  // the curve of an unfinished run ends at another step
    result.reward_curve = average_of(runs, &BanditResult::reward_curve);
  }
  average_costs(runs, result);
  return result;
}

}  // namespace sotto::apps::bandit::run
