#include "apps/live/serve/role_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/live/service/live_service.h"
#include "core/text/count.h"

namespace sotto::apps::live {
namespace {

constexpr LiveTime between_warnings = 24 * 3'600'000;  // ms

std::string what_is_recovered(const OrderRecovery& recovery) {
  std::string what;
  const auto add = [&](bool is_so, const std::string& text) {
    if (is_so) what += (what.empty() ? "" : "; ") + text;
  };
  add(recovery.snapshot, fmt::format("the model goes back to a copy of {}", counted(recovery.learned, "event")));
  add(recovery.actor, "the actor continues without its store");
  add(recovery.rewarder, "the rewarder continues without its store");
  return what;
}

bool has_copy(const LiveStatus& status, const SnapshotName& copy) {
  return std::find(status.snapshots.begin(), status.snapshots.end(), copy) != status.snapshots.end();
}

}  // namespace

void RoleLog::show(const LiveStatus& status, LiveTime now) {
  if (last_) show_acts(status);
  show_recovery(status);
  show_warnings(status, now);
  last_ = status;
}

void RoleLog::show_acts(const LiveStatus& status) {
  if (status.mode != last_->mode) {
    write_(LogLevel::info, fmt::format("{} is in mode {}, no longer {}, at number {}", status.role,
                                       name_of(status.mode), name_of(last_->mode), status.number));
  }
  for (const SnapshotName& copy : status.snapshots) {
    if (has_copy(*last_, copy)) continue;
    write_(LogLevel::info, fmt::format("{} has a copy of the model under number {}, of {}", status.role, copy.number,
                                       counted(copy.learned, "event")));
  }
}

void RoleLog::show_recovery(const LiveStatus& status) {
  const std::uint64_t dropped = last_ ? last_->dropped : status.dropped;
  if (status.dropped > dropped) {
    write_(LogLevel::warning, fmt::format("{} has dropped {} in a recovery: they are not learned", status.role,
                                          counted(status.dropped - dropped, "event")));
  }
  if (!status.recovery || (last_ && last_->recovery == status.recovery)) return;
  write_(LogLevel::warning, fmt::format("{} has recovered at number {}: {}", status.role, status.recovery->number,
                                        what_is_recovered(status.recovery->recovery)));
}

void RoleLog::show_warnings(const LiveStatus& status, LiveTime now) {
  std::map<std::string, LiveTime> said;
  for (const LiveWarning& warning : warnings_of(status, now)) {
    const auto before = said_.find(warning.name);
    const bool is_due = before == said_.end() || now >= before->second + between_warnings;
    if (is_due) write_(LogLevel::warning, warning.text);
    said[warning.name] = is_due ? now : before->second;
  }
  said_ = std::move(said);
}

}  // namespace sotto::apps::live
