#include "apps/bandit/run/result/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/kit/report/dots.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* evaluation_note =
    R"(A value is the estimated reward of a policy in an event, with a 95% interval. The model was learned from other
events of the log. Its arm in an event was compared with the arm of the log in shares. The owner of the log learned how
many events agree in each cell, with noise of every role that brings features. From these counts and its log it computes
the value: an event in which the log has the policy&rsquo;s arm counts one over its propensity. Intervals include the
noise. Events of its own: so many events of the policy itself would tell as much. The mean weight is 1 where each arm
that the policy picks had a chance. Where it is less, the policy has only bounds: the other events may earn anything from
the least to the largest reward of the log.)";

constexpr const char* estimated_note =
    R"(<strong>Propensities were not in the log.</strong> Each arm&rsquo;s share of the log was used
instead. This is right only where arms were played at random, whatever the case was. Where propensities depended on the
case, all of this is wrong.)";

Tile estimate_tile(std::string name, const std::optional<Estimate>& estimate) {
  if (!estimate) return {std::move(name), "&ndash;"};
  return {std::move(name), fmt::format("{:.4f}", estimate->value),
          fmt::format("95%: {:.4f} to {:.4f}", estimate->low, estimate->high)};
}

Dot dot_of(const PolicyValue& value) {
  if (value.value) return {value.value->value, value.value->low, value.value->high};
  if (value.bounds) return {std::nullopt, value.bounds->low, value.bounds->high};
  return {};
}

DotScale scale_of(const std::vector<PolicyValue>& policies) {
  std::vector<Dot> dots;
  dots.reserve(policies.size());
  for (const PolicyValue& value : policies) dots.push_back(dot_of(value));
  return dot_scale(dots);
}

std::string scale_text(const BanditResult& result) {
  return result.log->reward_scale == 1 ? ""
                                       : fmt::format("rewards divided by {:g} in the run", result.log->reward_scale);
}

}  // namespace

std::string estimate_text(const std::optional<Estimate>& estimate) {
  if (!estimate) return "-";
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", estimate->value, estimate->low, estimate->high);
}

std::string bounds_text(const std::optional<Bounds>& bounds) {
  if (!bounds) return "-";
  return fmt::format("{:.4f} to {:.4f}", bounds->low, bounds->high);
}

std::string mean_weight_text(const MeanWeight& weight) {
  return fmt::format("mean weight {:.2f} +- {:.2f}", weight.value, 2 * weight.error);
}

std::string mean_weight_cell(const PolicyValue& value) {
  if (!value.mean_weight) return "-";
  return fmt::format("{:.2f} &plusmn; {:.2f}", value.mean_weight->value, 2 * value.mean_weight->error);
}

std::string support_text(Support support) {
  for (const auto& [known, name] : names_of(support)) {
    if (known == support) return name;
  }
  return "";
}

std::string why_no_value(const PolicyValue& value) {
  switch (value.support) {
    case Support::lacking: {
      const double share = 100 * std::max(0., 1 - value.mean_weight->value);
      return fmt::format("bounds alone, as in {} of events it may pick an arm that had no chance",
                         share < .5 ? std::string("less than 1%") : fmt::format("some {:.0f}%", share));
    }
    case Support::not_played:
      return "not played: no value";
    case Support::wrong_propensities:
      return "no value: propensities are wrong";
    case Support::too_few_events:
      return "too few events: the noise of the parties hides it";
    case Support::unknown_weights:
      return "not known: the log's probabilities depend on a bit that only the parties have";
    case Support::shown:
    case Support::not_refuted:
      break;
  }
  return "";
}

namespace {

std::string learning_text(const Evaluation& evaluation) {
  std::vector<std::string> covered;
  std::vector<std::string> uncovered;
  for (const AddedNoise& noise : evaluation.noise) {
    if (noise.privacy.learning_epsilon > 0) {
      covered.push_back(
          fmt::format("{} ({:g}, {:g})", noise.role, noise.privacy.learning_epsilon, noise.privacy.learning_delta));
    } else {
      uncovered.push_back(noise.role);
    }
  }
  std::string text = fmt::format("{} learned", human_count(evaluation.learned, "row"));
  if (!covered.empty()) text += fmt::format(", with noise of {}", fmt::join(covered, ", "));
  if (!uncovered.empty() && evaluation.answer) {
    text += fmt::format(", of those of {} the answer tells one bit at most", fmt::join(uncovered, ", "));
  } else if (!uncovered.empty()) {
    text += fmt::format(", uncovered_learning: no epsilon covers those of {}", fmt::join(uncovered, ", "));
  }
  return text;
}

}  // namespace

std::string answer_text(const BitAnswer& answer) {
  return fmt::format("the model {}{}",
                     answer.model_beats_log ? "earns more than the log" : "is not shown to earn more than the log",
                     answer.at_worst ? ", where an arm that may have had no chance earns the least reward" : "");
}

std::string noise_text(const Evaluation& evaluation) {
  std::string text;
  for (const AddedNoise& noise : evaluation.noise) {
    text += fmt::format("{}: epsilon {:g}, {} a subject, {}; ", noise.role, noise.privacy.epsilon,
                        counted(noise.privacy.rows, "row"), noise.privacy.counted ? "counted" : "not counted");
  }
  text += evaluation.answer ? "the answer is one bit"
                            : fmt::format("+-{:.2g} of the interval", evaluation.noise_half_width);
  return evaluation.learned == 0 ? text : text + "; " + learning_text(evaluation);
}

std::vector<std::string> weak_noise(const Evaluation& evaluation) {
  std::vector<std::string> weak;
  for (const AddedNoise& noise : evaluation.noise) {
    if (noise.privacy.epsilon <= weak_count_epsilon) continue;
    weak.push_back(fmt::format(
        "{} has an epsilon of {:g}, above {:g}: whether one event agrees can be guessed, "
        "rightly in up to {:.4g}% of cases",
        noise.role, noise.privacy.epsilon, weak_count_epsilon, 100 / (1 + std::exp(-noise.privacy.epsilon))));
  }
  return weak;
}

std::string wrong_propensities_text(const Evaluation& evaluation) {
  const PolicyValue* worst = nullptr;
  for (const PolicyValue& value : evaluation.policies) {
    if (value.support != Support::wrong_propensities || !value.mean_weight) continue;
    if (worst == nullptr || value.mean_weight->value > worst->mean_weight->value) worst = &value;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "{} has {}, but it must be 1, so no policy has a value. The propensities are not those with which arms were "
      "played, or events depend on each other, such as several events of one person",
      worst->policy == "model" ? "the model" : worst->policy, mean_weight_text(*worst->mean_weight));
}

namespace {

std::string monthly_text(const std::optional<MoneyTerms>& money, const Estimate& model, double log) {
  if (!money) return {};
  const auto amount = [&](double value) {
    const double gain = std::round((value - log) * money->events_per_month);
    return (gain < 0 ? "-" : "") + human_count(std::abs(gain));
  };
  return fmt::format(" At {} events a month, the difference is {} {} a month ({} to {}).",
                     human_count(money->events_per_month), amount(model.value), money->unit, amount(model.low),
                     amount(model.high));
}

}  // namespace

std::string log_verdict(const BanditResult& result) {
  if (!result.evaluation) {
    return fmt::format("{} learned from {} of a log. No arm was opened, and the model stays in shares.",
                       counted(result.parties, "party"), human_count(result.steps, "event"));
  }
  if (const auto& answer = result.evaluation->answer) {
    return fmt::format("In one bit: {}.", answer_text(*answer));
  }
  const PolicyValue* const model = policy_of(result.evaluation->policies, "model");
  const PolicyValue* const log = policy_of(result.evaluation->policies, "log");
  if (model == nullptr || log == nullptr || !log->value) return "The log was evaluated.";
  if (model->support == Support::wrong_propensities) {
    return "The log cannot say what any policy would have earned: its propensities are wrong.";
  }
  if (!model->value) {
    return fmt::format(
        "The log cannot say what the joint model would have earned, but only {} an event: in some "
        "events the model may pick an arm that had no chance there. The log earned {:.4f}.",
        bounds_text(model->bounds), log->value->value);
  }
  const double earned = log->value->value;
  const double lift = model->value->value - earned;
  return fmt::format("The joint model would have earned {:.4f} an event ({:.4f} to {:.4f}), {:.4f} {} than the log.{}",
                     model->value->value, model->value->low, model->value->high, std::abs(lift),
                     lift < 0 ? "less" : "more", monthly_text(result.money, *model->value, earned));
}

std::vector<Tile> log_tiles(const BanditResult& result) {
  std::vector<Tile> tiles;
  if (result.evaluation) {
    const PolicyValue* const model = policy_of(result.evaluation->policies, "model");
    const PolicyValue* const log = policy_of(result.evaluation->policies, "log");
    if (model != nullptr) {
      tiles.push_back(estimate_tile("The model", model->value));
    }
    if (log != nullptr) tiles.push_back(estimate_tile("The log", log->value));
    tiles.push_back({"Events evaluated", human_count(static_cast<double>(result.evaluation->evaluated)),
                     fmt::format("{} learned before", human_count(static_cast<double>(result.evaluation->learned)))});
  } else {
    tiles.push_back({"Events learned", human_count(static_cast<double>(result.steps)), scale_text(result)});
    tiles.push_back({"The log earned",
                     figure_of(result.average_reward, [](double v) { return fmt::format("{:.4f}", v); }), "an event"});
  }
  tiles.push_back({"Time an event", figure_of(result.seconds_per_step, human_seconds)});
  tiles.push_back({"Sent an event", figure_of(result.bytes_per_step, human_bytes)});
  tiles.push_back({"Dealt an event", figure_of(result.dealt_bytes_per_step, human_bytes)});
  return tiles;
}

PageSection evaluation_section(const BanditResult& result) {
  if (!result.evaluation) return {};
  PageTable table{{{"Policy", ""},
                   {"", "bar-cell optional"},
                   {"Value"},
                   {"Bounds"},
                   {"Mean weight"},
                   {"Support"},
                   {"In plain text, exact"},
                   {"Events of its own"}}};
  const DotScale scale = scale_of(result.evaluation->policies);
  for (const PolicyValue& value : result.evaluation->policies) {
    const PolicyValue* const twin =
        result.plaintext_evaluation ? policy_of(result.plaintext_evaluation->policies, value.policy) : nullptr;
    table.rows.push_back({escape_html(value.policy), dot_cell(dot_of(value), scale), estimate_text(value.value),
                          bounds_text(value.bounds), mean_weight_cell(value), support_text(value.support),
                          twin == nullptr ? "-" : estimate_text(twin->value),
                          human_count(std::round(value.effective_events))});
  }
  std::string content = note(evaluation_note) + paragraph(escape_html(evaluation_promise));
  content += paragraph("Noise: " + escape_html(noise_text(*result.evaluation)) + ".");
  for (const std::string& weak : weak_noise(*result.evaluation)) {
    content += paragraph("<strong>Weak:</strong> " + escape_html(weak) + ".");
  }
  const std::string wrong = wrong_propensities_text(*result.evaluation);
  if (!wrong.empty()) content += paragraph("<strong>Propensities are wrong:</strong> " + escape_html(wrong) + ".");
  if (result.evaluation->propensities == Propensities::frequencies) content += paragraph(estimated_note);
  if (result.evaluation->clipped > 0) {
    content +=
        paragraph(fmt::format("The weights of {} were cut to {:g}: values are wrong by a little.",
                              counted(result.evaluation->clipped, "event"), 1 / result.evaluation->least_propensity));
  }
  if (result.evaluation->clipped_rewards > 0) {
    content += paragraph(fmt::format("The reward scale cut {} of the log: values are of rewards that are cut.",
                                     counted(result.evaluation->clipped_rewards, "reward")));
  }
  return {"Values of the policies", content + to_html(table)};
}

}  // namespace sotto::apps::bandit::run
