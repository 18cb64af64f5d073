// What a role of the decision service writes into its log beside whether it is ready: what people do to the service,
// what a recovery has dropped, and what somebody should look at (live_service.h).
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

  // To be called again and again, with what the role says of itself: the first time nothing has changed.
  void show(const LiveStatus& status, LiveTime now);

 private:
  void show_acts(const LiveStatus& status);
  void show_recovery(const LiveStatus& status);
  // Each as it begins, and then once a day.
  void show_warnings(const LiveStatus& status, LiveTime now);

  Write write_;
  std::optional<LiveStatus> last_;
  std::map<std::string, LiveTime> said_;  // warnings that hold, by name: when the log had each of them last
};

}  // namespace sotto::apps::live
