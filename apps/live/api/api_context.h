// The context of the routes of a role, in addition to its service.
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

// The clock of the HTTP server, and the clock of the role.
struct ApiClocks {
  std::function<net::Clock::time_point()> server{};  // the clock that HttpConfig::now gives
  std::function<LiveTime()> role{};                  // empty: the system clock

  [[nodiscard]] net::Clock::time_point server_now() const { return server ? server() : net::Clock::now(); }
  [[nodiscard]] LiveTime role_now() const;  // ms since 1970
};

// Called with the problem, or with nothing if there is none.
using BackupDone = std::function<void(const std::optional<Problem>&)>;

struct ApiContext {
  ApiClocks clocks;
  // Copies the role's store to a backup called `name`. Empty if the config has no folder for backups.
  std::function<void(const std::string& name, BackupDone done)> back_up{};
  // Takes a line for the log, for instance about what a caller had the service do. The line has nothing private in it.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  DecisionTerms terms;
  bool binary_rewards = false;  // at the rewarder: rewards are only 0 or 1
  FeatureSchema features{};     // at a party: its columns
  RowDrift drift{};             // at a party with a recipe: how the rows that the recipe made drift
};
// The handlers of a server share the context. They run only on the thread of its Io.
using SharedContext = std::shared_ptr<ApiContext>;

// A route for the method and the path pattern, with a body of the given kind. Answers are lines if the body is lines,
// else JSON.
[[nodiscard]] Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler);

}  // namespace sotto::apps::live
