#include "sotto/apps/bandit/live/service/role_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sotto/apps/kit/deploy/certificate_end.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::chrono::hours between_warnings{24};

std::string what_is_recovered(const OrderRecovery& recovery) {
  std::string what;
  const auto add = [&](bool is_so, const std::string& text) {
    if (is_so) what += (what.empty() ? "" : "; ") + text;
  };
  add(recovery.snapshot, fmt::format("the model goes back to a copy of {}", counted(recovery.learned, "event")));
  add(recovery.actor, "the actor goes on without its store");
  add(recovery.rewarder, "the rewarder goes on without its store");
  return what;
}

bool has_copy(const LiveStatus& status, const SnapshotName& copy) {
  return std::find(status.snapshots.begin(), status.snapshots.end(), copy) != status.snapshots.end();
}

}  // namespace

void RoleLog::show(const LiveStatus& status, net::WallTime now) {
  if (last_) show_acts(status);
  show_recovery(status);
  show_certificate("this role", status.certificate_until, now);
  for (const PeerStatus& peer : status.peers) show_certificate(peer.role, peer.certificate_until, now);
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

void RoleLog::show_certificate(const std::string& whose, const std::optional<LiveTime>& until, net::WallTime now) {
  if (!until) return;
  const net::WallTime end{std::chrono::milliseconds(*until)};
  const auto warned = warned_.find(whose);
  if (warned != warned_.end() && now < warned->second + between_warnings) return;
  const auto line = certificate_end(whose, end, now);
  if (!line) return;
  warned_[whose] = now;
  write_(LogLevel::warning, *line + ": docs/live.md says how a role changes its key while the others run");
}

}  // namespace sotto::apps
