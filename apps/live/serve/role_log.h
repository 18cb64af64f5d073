// Writes lines into the log of a role about changes that people have requested, events that a recovery has dropped, and
// warnings (live_service.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "apps/kit/program/say.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

class RoleLog {
 public:
  using Write = std::function<void(LogLevel level, const std::string& line)>;
  explicit RoleLog(Write write) : write_(std::move(write)) {}

  // Compares `status` with that of the last call, and logs the changes. The first call logs only a recovery and
  // warnings.
  void show(const LiveStatus& status, LiveTime now);

 private:
  void show_acts(const LiveStatus& status);
  void show_recovery(const LiveStatus& status);
  // Logs each warning when the warning begins, and then once a day.
  void show_warnings(const LiveStatus& status, LiveTime now);

  Write write_;
  std::optional<LiveStatus> last_;
  std::map<std::string, LiveTime> said_;
};

}  // namespace sotto::apps::live
