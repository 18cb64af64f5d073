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
  std::function<net::Clock::time_point()> server{};  // as HttpConfig::now
  std::function<LiveTime()> role{};                  // empty: the clock of the system

  [[nodiscard]] net::Clock::time_point server_now() const { return server ? server() : net::Clock::now(); }
  [[nodiscard]] LiveTime role_now() const;  // ms since 1970
};

// Called with the problem, or with nothing if there is none.
using BackupDone = std::function<void(const std::optional<Problem>&)>;

struct ApiContext {
  ApiClocks clocks;
  // Copies the role's store under that name. Empty: the config has no folder for backups.
  std::function<void(const std::string& name, BackupDone done)> back_up{};
  // Takes a line for the log, for instance about what a caller had the service do. The line has nothing private in it.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  DecisionTerms terms;
  bool binary_rewards = false;  // the rewarder: only 0 or 1
  FeatureSchema features{};     // a party
  RowDrift drift{};             // a party with a recipe: of the rows that the recipe made
};
// The handlers of a server share the context. They run only on the thread of its Io.
using SharedContext = std::shared_ptr<ApiContext>;

// The route of the method and the pattern's path, with a body of that kind. Answers are JSON, or lines if the body is.
[[nodiscard]] Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler);

}  // namespace sotto::apps::live
