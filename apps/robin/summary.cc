#include <fmt/format.h>

#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/robin/result.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

void add_spent(SummaryLines& lines, const RobinOutcome& outcome) {
  lines.row("epsilon spent", fmt::format("{:.4g}", outcome.epsilon_spent),
            fmt::format("of {:g}, delta {:g}, {}", outcome.settings.epsilon,
                        promised_delta(outcome.settings.composition, outcome.settings.delta),
                        counted(outcome.releases.size(), "release")));
}

void add_regret(SummaryLines& lines, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (outcome.regret_per_client) {
    lines.row("regret", fmt::format("{:.2f}", *outcome.regret_per_client),
              result.has_means ? "a client" : "a client, against the best arm in hindsight");
  }
  if (outcome.regret_local) {
    lines.row("local twin", fmt::format("{:.2f}", *outcome.regret_local),
              "each client by itself" + (outcome.twin_clients < outcome.settings.clients
                                             ? ", first " + human_count(outcome.twin_clients, "client")
                                             : std::string()));
  }
  if (outcome.regret_nonprivate) {
    lines.row("non-private twin", fmt::format("{:.2f}", *outcome.regret_nonprivate),
              "estimates averaged without noise");
  }
}

void add_rest(SummaryLines& lines, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  const ClippedCounts& clipped = outcome.clipped;
  if (clipped.features + clipped.rewards + clipped.estimates > 0) {
    lines.row("clipped", human_count(static_cast<double>(clipped.features + clipped.rewards + clipped.estimates)),
              fmt::format("{}, {}, {}", human_count(clipped.features, "feature vector"),
                          human_count(clipped.rewards, "reward"), human_count(clipped.estimates, "estimate")));
  }
  if (outcome.decision.mode == RobinMode::federated) {
    lines.row("chance of misfire", fmt::format("{:.1e}", outcome.decision.misfire), "at most, of all private ranges");
  }
  if (result.wall_seconds) {
    lines.row("time", human_seconds(*result.wall_seconds), human_count(result.roles.size(), "process"));
  }
}

}  // namespace

std::string summary_text(const RobinResult& result, const TextOptions& options) {
  SummaryLines lines(options.colour);
  const RobinOutcome& outcome = result.outcome;
  lines.insecure(result.insecure);
  if (result.status != RunStatus::complete) {
    add_spent(lines, outcome);  // the reason goes to stderr, once
    return lines.text();
  }
  const RobinSettings& settings = outcome.settings;
  const bool local = outcome.decision.mode == RobinMode::local;
  lines.title(fmt::format("{} of {}, {}, {}, {}", human_count(settings.horizon, "step"),
                          local ? "local LinUCB" : "ROBIN", human_count(settings.clients, "client"),
                          counted(settings.dimension, "feature"), counted(settings.arms, "arm")));
  add_regret(lines, result);
  add_spent(lines, outcome);
  add_rest(lines, result);
  if (local) lines.warning("played locally: " + outcome.decision.why);
  lines.warning(robin_headline(local));
  return lines.text();
}

}  // namespace sotto::apps
