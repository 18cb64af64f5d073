// What a role of the decision service writes into its log beside whether it is ready: what people do to the service, what
// a recovery has dropped, and whose certificate ends soon, once a day.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sotto/apps/bandit/live/service/live_service.h"
#include "sotto/apps/kit/program/log.h"
#include "sotto/net/transport/tls/certificate.h"

namespace sotto::apps {

class RoleLog {
 public:
  using Write = std::function<void(LogLevel level, const std::string& line)>;
  explicit RoleLog(Write write) : write_(std::move(write)) {}

  // To be called again and again, with what the role says of itself: the first time nothing has changed.
  void show(const LiveStatus& status, net::WallTime now);

 private:
  void show_acts(const LiveStatus& status);
  void show_recovery(const LiveStatus& status);
  void show_certificate(const std::string& whose, const std::optional<LiveTime>& until, net::WallTime now);

  Write write_;
  std::optional<LiveStatus> last_;
  std::map<std::string, net::WallTime> warned_;  // by whose certificate it is
};

}  // namespace sotto::apps
