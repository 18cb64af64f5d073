// What the routes of a role stand on beside its service.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/http/router.h"
#include "apps/kit/program/say.h"
#include "apps/live/api/answers.h"
#include "apps/live/api/call_bodies.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::live {

// The clock of the HTTP server, and that of the role.
struct ApiClocks {
  std::function<net::Clock::time_point()> server{};  // as HttpConfig::now
  std::function<LiveTime()> role{};                  // none: that of the system

  [[nodiscard]] net::Clock::time_point server_now() const { return server ? server() : net::Clock::now(); }
  [[nodiscard]] LiveTime role_now() const;  // ms since 1970
};

// Called with what went wrong, or with nothing.
using BackupDone = std::function<void(const std::optional<Problem>&)>;

struct ApiContext {
  ApiClocks clocks;
  // Copies the role's store under that name; none: the config has no folder for that.
  std::function<void(const std::string& name, BackupDone done)> back_up{};
  // A line for the log, as of what somebody had the service do; nothing private is in it.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  DecisionTerms terms;
  bool binary_rewards = false;  // the rewarder: 0 or 1 alone
  FeatureSchema features{};     // a party
  RowDrift drift{};             // a party with a recipe: of the rows that it made
};
// The handlers of a server share it; they run on the thread of its Io alone.
using SharedContext = std::shared_ptr<ApiContext>;

// Of the pattern's method and path, with a body of that kind; answers are JSON, or lines where the body is.
[[nodiscard]] Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler);

}  // namespace sotto::apps::live
