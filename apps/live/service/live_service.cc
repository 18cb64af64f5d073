#include "apps/live/service/live_service.h"

#include <fmt/format.h>

#include <chrono>

#include "apps/kit/deploy/checks.h"
#include "apps/live/settings/live_settings.h"
#include "core/text/count.h"

namespace sotto::apps::live {
namespace {

constexpr const char* way_on =
    "to learn further, begin a service with more steps from its model (docs/guides/live.md, From one service to the next)";

std::string learned_text(const LiveStatus& status) {
  return fmt::format("the service has learned {} of at most {} events (steps in [run])", status.learned,
                     status.steps.value_or(0));
}

LiveWarning learning_warning(const LiveStatus& status, unsigned percent) {
  return {fmt::format("learning-{}", percent),
          fmt::format("{}, {}% or more; after the last of them it decides and learns no more; {}", learned_text(status),
                      percent, way_on)};
}

net::WallTime wall_time(LiveTime at) { return net::WallTime{std::chrono::milliseconds(at)}; }

void add_certificate(std::vector<LiveWarning>& warnings, const std::string& whose, std::optional<LiveTime> until,
                     LiveTime now) {
  if (!until) return;
  const auto line = certificate_end(whose, wall_time(*until), wall_time(now));
  if (!line) return;
  warnings.push_back(
      {"certificate " + whose, *line + ": docs/guides/live.md says how a role changes its key while the others run"});
}

}  // namespace

LearningShare learning_share(const LiveStatus& status) {
  if (status.learning_ended) return LearningShare::ended;
  if (!status.steps) return LearningShare::below;
  const double share = static_cast<double>(status.learned) / static_cast<double>(*status.steps);
  if (share >= .95) return LearningShare::nearly_all;
  return share >= .8 ? LearningShare::most : LearningShare::below;
}

std::vector<LiveWarning> warnings_of(const LiveStatus& status, LiveTime now) {
  std::vector<LiveWarning> warnings;
  switch (learning_share(status)) {
    case LearningShare::below:
      break;
    case LearningShare::most:
      warnings.push_back(learning_warning(status, 80));
      break;
    case LearningShare::nearly_all:
      warnings.push_back(learning_warning(status, 95));
      break;
    case LearningShare::ended:
      warnings.push_back(
          {"learning-ended", fmt::format("{}: it decides and learns no more; {}", learned_text(status), way_on)});
      break;
  }
  if (status.clock_ahead > 0) {
    warnings.push_back(
        {"clock", fmt::format("the clock of {} went back by {}, so batches decided before are learned too late, up to "
                              "reward_wait after their old time; check the clock of this machine",
                              status.role, live_span_text(status.clock_ahead))});
  }
  if (status.kind == LiveRoleKind::party && status.mode == LiveMode::apprentice && !status.has_account) {
    warnings.push_back({"account",
                        "nothing counts what windows of agreement tell of a person over time: [account] has no file, "
                        "which `sotto account begin` makes"});
  }
  if (!status.account_trouble.empty()) {
    warnings.push_back({"account", "nobody is charged for the window of agreement, so no row goes into it: " +
                                       status.account_trouble});
  }
  if (status.days_ahead > 0) {
    warnings.push_back(
        {"days", fmt::format("the clock of {} was ahead once: limits of subjects a day hold on for {}; where that is "
                             "too long, raise decisions_per_day in [features]",
                             status.role, counted(status.days_ahead, "day"))});
  }
  add_certificate(warnings, "this role", status.certificate_until, now);
  for (const PeerStatus& peer : status.peers) add_certificate(warnings, peer.role, peer.certificate_until, now);
  return warnings;
}

}  // namespace sotto::apps::live
