#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "apps/bandit/model/batch/sums.h"
#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/worth.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

void add_reward(SummaryLines& summary, const BanditResult& result, std::string_view label, const char* name,
                double value, const std::string& note = {}) {
  const auto sd = result.sd.find(name);
  summary.row(label, fmt::format("{:.4f}", value),
              sd == result.sd.end() ? note : fmt::format("sd {:.4f} over {} runs", sd->second, result.repeats));
}

std::string exact_text(const std::optional<Evaluation>& exact, const std::string& policy) {
  if (!exact || policy != "model") return "";
  for (const PolicyValue& value : exact->policies) {
    if (value.policy != policy || (!value.value && !value.bounds)) continue;
    return "; exact, in plain text: " + (value.value ? estimate_text(value.value) : bounds_text(value.bounds));
  }
  return "";
}

void add_evaluation(SummaryLines& summary, const Evaluation& evaluation, const std::optional<Evaluation>& exact) {
  summary.row("evaluated", human_count(evaluation.evaluated, "event"),
              fmt::format("after {} learned", human_count(static_cast<double>(evaluation.learned))));
  if (evaluation.answer) {
    summary.row("answer", evaluation.answer->model_beats_log ? "yes" : "no",
                answer_text(*evaluation.answer) + exact_text(exact, "model"));
  }
  for (const PolicyValue& value : evaluation.policies) {
    if (!value.mean_weight && value.has_value()) {
      summary.row(value.policy, estimate_text(value.value), "what was earned");
    } else if (value.has_value()) {
      summary.row(value.policy, estimate_text(value.value),
                  fmt::format("bounds {}, {}, effective events {}{}", bounds_text(value.bounds),
                              mean_weight_text(*value.mean_weight), human_count(std::round(value.effective_events)),
                              exact_text(exact, value.policy)));
    } else {
      const bool has_bounds = value.support == Support::lacking;
      summary.row(
          value.policy, has_bounds ? bounds_text(value.bounds) : "-",
          why_no_value(value) +
              (has_bounds ? ": " + mean_weight_text(*value.mean_weight) + exact_text(exact, value.policy) : ""));
    }
  }
  for (const SegmentLine& line : segment_lines(evaluation, exact)) summary.row(line.name, line.value, line.remark);
  summary.row("noise", noise_text(evaluation));
  for (const std::string& weak : weak_noise(evaluation)) summary.warning(weak);
  if (const std::string wrong = wrong_propensities_text(evaluation); !wrong.empty()) summary.warning(wrong);
  if (evaluation.propensities == Propensities::frequencies) {
    summary.warning(
        "propensities are each arm's share of the log: values are wrong unless arms were played at random "
        "whatever the case");
  }
  if (evaluation.clipped > 0) {
    summary.warning(fmt::format("the weights of {} were cut to {:g}: values are wrong by a little",
                                counted(evaluation.clipped, "event"), 1 / evaluation.least_propensity));
  }
  if (evaluation.clipped_rewards > 0) {
    summary.warning(fmt::format("the reward scale cut {} of the log: values are of rewards that are cut",
                                counted(evaluation.clipped_rewards, "reward")));
  }
}

void add_parts(SummaryLines& summary, const BanditResult& result) {
  for (const PlainPlays& part : companies(result)) {
    summary.row(part.name + " by itself", fmt::format("{:.4f}", part.average_reward),
                "in plain text, " + plays_text(part.plays, part.sd));
  }
}

void add_rewards(SummaryLines& summary, const BanditResult& result) {
  if (result.evaluation) return add_evaluation(summary, *result.evaluation, result.plaintext_evaluation);
  if (result.average_reward) {
    add_reward(summary, result, result.log ? "the log earned" : "average reward", "average_reward",
               *result.average_reward);
  }
  if (result.plaintext_average_reward) {
    const auto sd = result.sd.find("plaintext_average_reward");
    summary.row("plain-text twin", fmt::format("{:.4f}", *result.plaintext_average_reward),
                "same algorithm without privacy, " +
                    plays_text(result.plaintext_plays, sd == result.sd.end() ? 0 : sd->second));
  }
  if (result.uniform_average_reward) {
    summary.row("uniform play", fmt::format("{:.4f}", *result.uniform_average_reward));
  }
  add_parts(summary, result);
  if (!result.compare_plaintext) return;
  const PlaintextComparison& comparison = *result.compare_plaintext;
  summary.row("same arm as twin", fmt::format("{:.2f}%", 100 * comparison.agreement),
              fmt::format("{:.2f}% expected from epsilon", 100 * comparison.expected_agreement));
  if (comparison.largest_weight_difference) {
    summary.row("weights differ by", fmt::format("{:.1e}", *comparison.largest_weight_difference),
                "at most, from the twin's");
  }
}

std::string rounds_of_a_batch(const BanditResult& result) {
  if (!result.batches) return {};
  if (result.evaluation) return fmt::format(": {} to learn a batch", sum_rounds);
  if (result.log) return fmt::format(": {} to learn a batch", BatchPlan::learn_rounds);
  return fmt::format(": {} to decide a batch, {} to learn it", result.batches->decide_rounds(),
                     BatchPlan::learn_rounds);
}

std::string speed(const BanditResult& result) {
  return result.events_per_second ? fmt::format("; {} a second", human_count(*result.events_per_second)) : "";
}

void add_cost(SummaryLines& summary, const BanditResult& result) {
  const std::string a_step = result.a_step();
  if (result.rounds_per_step) {
    summary.row("rounds", fmt::format("{:.4g}", *result.rounds_per_step), a_step + rounds_of_a_batch(result));
  }
  if (result.seconds_per_step) {
    summary.row("time", human_seconds(*result.seconds_per_step), a_step + ", all together" + speed(result));
  }
  if (result.bytes_per_step)
    summary.row("sent", human_bytes(*result.bytes_per_step), a_step + ", by the largest party");
  if (result.dealt_bytes_per_step) {
    summary.row("dealt", human_bytes(*result.dealt_bytes_per_step), a_step + ", to the last party");
  }
  if (result.online_seconds) summary.row("online", human_seconds(*result.online_seconds));
  if (result.preprocessing_bytes_per_step) {
    summary.row(
        "made ahead", human_bytes(*result.preprocessing_bytes_per_step),
        fmt::format("{}, by the largest party, in {:.3g} rounds", a_step, *result.preprocessing_rounds_per_step));
  }
  if (result.preprocessing_seconds) {
    summary.row(
        "preprocessing", human_seconds(*result.preprocessing_seconds),
        cast_of(result.preprocessing).has_helper ? "by the parties and the helper" : "by the parties themselves");
  }
  if (result.dealer_seconds) {
    const auto& each = result.dealer_seconds_per_event;
    summary.row("dealer", human_seconds(*result.dealer_seconds),
                each ? fmt::format("of CPU time, {} {}", human_seconds(*each), a_step) : "of CPU time");
  }
}

void add_link(SummaryLines& summary, const BanditResult& result) {
  if (!result.link) return;
  summary.row("emulated links", net::describe(*result.link), "(no measurement of a network)");
  if (!result.link_model) return;
  const LinkModel& model = *result.link_model;
  summary.row("model of them", human_seconds(model.total()), fmt::format("{}: {}", result.a_step(), link_parts(model)));
  summary.row("measured", human_seconds(model.measured),
              fmt::format("{}; error of the model {:+.1f}%", result.a_step(), model.error_percent()));
}

void add_state(SummaryLines& summary, const BanditResult& result) {
  if (!result.state || result.state->epochs < 2) return;
  const KeptState& state = *result.state;
  summary.row(
      "resumed", fmt::format("{} x", state.epochs - 1),
      fmt::format("{} repeated; costs are of the {}s after {}", human_count(state.repeated_steps, result.step_word()),
                  result.step_word(), human_count(static_cast<double>(state.from_step))));
}

void add_privacy(SummaryLines& summary, const BanditResult& result) {
  if (result.log) return summary.row("privacy of arms", "0", "no arm was opened");
  if (!result.eta_per_action.exact) {
    summary.row("privacy of arms", "unbounded", "epsilon is 0: arms are not randomised");
    return;
  }
  summary.row("eta an arm", fmt::format("{:.2f}", *result.eta_per_action.exact),
              fmt::format("log(A/eps) = {:.2f}", *result.eta_per_action.paper));
  if (result.eta_composed.optimal) {
    summary.row("eta of the run", human_eta(*result.eta_composed.optimal),
                fmt::format("composed, at delta {:g}{}", result.eta_composed.delta,
                            is_vacuous(*result.eta_composed.optimal) ? ": vacuous" : ""));
  }
}

std::string parties_text(const BanditResult& result) {
  std::string text = counted(result.parties, "party");
  if (result.computing_only > 0) text += fmt::format(", {} of them only to compute", result.computing_only);
  if (result.owners > 0) text += ", " + counted(result.owners, "owner");
  return text;
}

}  // namespace

std::string summary_text(const BanditResult& result, const TextOptions& options) {
  SummaryLines summary(options.colour);
  summary.insecure(result.insecure);
  if (result.status == RunStatus::failed) {
    summary.warning("failed: " + result.error.value_or("no reason given"));
    return summary.text();
  }
  if (const std::optional<Worth> worth = worth_of(result)) {
    summary.title(worth->sentence);
    if (const std::string money = money_sentence(result, *worth); !money.empty()) summary.line(money);
  } else if (result.log) {
    summary.title(log_verdict(result));
  }
  summary.line(fmt::format("{}{}, {}, {}, {}{}{}", human_count(result.steps, result.step_word()), batches_text(result),
                           parties_text(result), counted(result.features, "feature"), counted(result.arms, "arm"),
                           result.log ? "" : fmt::format(", epsilon {:g}", result.epsilon),
                           result.repeats > 1 ? fmt::format(", mean of {} runs", result.repeats) : ""));
  add_rewards(summary, result);
  add_cost(summary, result);
  add_link(summary, result);
  add_state(summary, result);
  add_privacy(summary, result);
  return summary.text();
}

std::string batches_text(const BanditResult& result) {
  if (!result.batches) return {};
  return fmt::format(
      " in batches of {}{}", human_count(static_cast<double>(result.batch)),
      result.reward_lag == 0 ? "" : fmt::format(", rewards {} late", human_count(result.reward_lag, "event")));
}

std::string link_parts(const LinkModel& model) {
  std::string text;
  for (const auto& [seconds, name] : {std::pair{model.delay, "delay"}, std::pair{model.transfer, "bytes / rate"},
                                      std::pair{model.jitter, "jitter"}, std::pair{model.arithmetic, "arithmetic"}}) {
    if (seconds <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", human_seconds(seconds), name);
  }
  return text;
}

}  // namespace sotto::apps::bandit::run
