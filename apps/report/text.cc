#include "apps/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "apps/report/summary_lines.h"
#include "core/text/count.h"

namespace sotto::apps {
namespace {

// Three significant digits: "1.20", "12.0", "120".
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

void add_reward(SummaryLines& summary, const BanditResult& result, std::string_view label,
                const char* name, double value, const std::string& note = {}) {
  const auto sd = result.sd.find(name);
  summary.row(label, fmt::format("{:.4f}", value),
              sd == result.sd.end()
                  ? note
                  : fmt::format("sd {:.4f} over {} runs", sd->second, result.repeats));
}

void add_rewards(SummaryLines& summary, const BanditResult& result) {
  if (result.average_reward) {
    add_reward(summary, result, "average reward", "average_reward", *result.average_reward);
  }
  if (result.plaintext_average_reward) {
    add_reward(summary, result, "plain-text twin", "plaintext_average_reward",
               *result.plaintext_average_reward, "same algorithm without privacy, own randomness");
  }
  if (result.uniform_average_reward) {
    summary.row("uniform play", fmt::format("{:.4f}", *result.uniform_average_reward));
  }
  if (!result.compare_plaintext) return;
  const PlaintextComparison& comparison = *result.compare_plaintext;
  summary.row("same arm as twin", fmt::format("{:.2f}%", 100 * comparison.agreement),
              fmt::format("{:.2f}% expected from epsilon", 100 * comparison.expected_agreement));
  if (comparison.largest_weight_difference) {
    summary.row("weights differ by", fmt::format("{:.1e}", *comparison.largest_weight_difference),
                "at most, from the twin's");
  }
}

void add_cost(SummaryLines& summary, const BanditResult& result) {
  if (result.rounds_per_step)
    summary.row("rounds", fmt::format("{:g}", *result.rounds_per_step), "a step");
  if (result.seconds_per_step)
    summary.row("time", human_seconds(*result.seconds_per_step), "a step, all together");
  if (result.bytes_per_step)
    summary.row("sent", human_bytes(*result.bytes_per_step), "a step, by the largest party");
  if (result.dealt_bytes_per_step) {
    summary.row("dealt", human_bytes(*result.dealt_bytes_per_step), "a step, to the last party");
  }
  if (result.online_seconds) summary.row("online", human_seconds(*result.online_seconds));
  if (result.dealer_seconds)
    summary.row("dealer", human_seconds(*result.dealer_seconds), "of CPU time");
}

// The wide area that was emulated, and what a model of it says.
void add_link(SummaryLines& summary, const BanditResult& result) {
  if (!result.link) return;
  summary.row("emulated links", net::describe(*result.link), "(no measurement of a network)");
  if (!result.link_model) return;
  const LinkModel& model = *result.link_model;
  summary.row("model of them", human_seconds(model.total()),
              fmt::format("a step: {}", link_parts(model)));
  summary.row("measured", human_seconds(model.measured),
              fmt::format("a step; error of the model {:+.1f}%", model.error_percent()));
}

void add_state(SummaryLines& summary, const BanditResult& result) {
  if (!result.state || result.state->epochs < 2) return;
  const KeptState& state = *result.state;
  summary.row("resumed", fmt::format("{} x", state.epochs - 1),
              fmt::format("{} repeated; costs are of the steps after {}",
                          human_count(state.repeated_steps, "step"),
                          human_count(static_cast<double>(state.from_step))));
}

void add_privacy(SummaryLines& summary, const BanditResult& result) {
  if (!result.eta_per_action.exact) {
    summary.row("privacy of arms", "unbounded", "epsilon is 0: arms are not randomised");
    return;
  }
  summary.row("eta an arm", fmt::format("{:.2f}", *result.eta_per_action.exact),
              fmt::format("log(A/eps) = {:.2f}", *result.eta_per_action.paper));
  if (result.eta_composed.optimal) {
    summary.row(
        "eta of the run", human_eta(*result.eta_composed.optimal),
        fmt::format("composed, at delta {:g}; vacuous for long runs", result.eta_composed.delta));
  }
}

}  // namespace

std::string summary_text(const BanditResult& result, const TextOptions& options) {
  SummaryLines summary(options.colour);
  for (const std::string& flag : result.insecure) {
    summary.warning(
        fmt::format("INSECURE: {}. Do not use this run's protection for real data.", flag));
  }
  if (result.status == RunStatus::failed) {
    summary.warning("failed: " + result.error.value_or("no reason given"));
    return summary.text();
  }
  summary.title(
      fmt::format("{}, {}, {}, {}, epsilon {:g}{}", human_count(result.steps, "step"),
                  counted(result.parties, "party"), counted(result.features, "feature"),
                  counted(result.arms, "arm"), result.epsilon,
                  result.repeats > 1 ? fmt::format(", mean of {} runs", result.repeats) : ""));
  add_rewards(summary, result);
  add_cost(summary, result);
  add_link(summary, result);
  add_state(summary, result);
  add_privacy(summary, result);
  return summary.text();
}

std::string link_parts(const LinkModel& model) {
  std::string text;
  for (const auto& [seconds, name] :
       {std::pair{model.delay, "delay"}, std::pair{model.transfer, "bytes / rate"},
        std::pair{model.jitter, "jitter"}, std::pair{model.arithmetic, "arithmetic"}}) {
    if (seconds <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", human_seconds(seconds), name);
  }
  return text;
}

bool use_colour(int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(file_descriptor) == 1;
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 5e-13) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{} ns", three_digits(seconds * 1e9));
  if (seconds < 999.5e-6) return fmt::format("{} us", three_digits(seconds * 1e6));
  if (seconds < 999.5e-3) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds < 99.95) return fmt::format("{} s", three_digits(seconds));
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  constexpr std::array<const char*, 4> units{"KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  double value = bytes / 1000;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string human_eta(double eta) { return eta < 999.5 ? three_digits(eta) : human_count(eta); }

std::string human_count(double count) {
  if (!std::isfinite(count)) return "-";
  if (count >= 9'999'500) {
    return count < 999.5e6 ? three_digits(count / 1e6) + " M" : three_digits(count / 1e9) + " G";
  }
  std::string digits = fmt::format("{:.0f}", count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string human_count(std::uint64_t count, std::string_view singular) {
  return human_count(static_cast<double>(count)) + " " + noun(count, singular);
}

}  // namespace sotto::apps
