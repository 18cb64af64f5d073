// The data that all HTTP handlers of a role share, in addition to the role's service.
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

// Called when a backup has ended: with the problem, or with nothing if the backup succeeded.
using BackupDone = std::function<void(const std::optional<Problem>&)>;

struct ApiContext {
  ApiClocks clocks;
  // Copies the role's store to a backup called `name`. The function is empty if the config names no folder for backups.
  std::function<void(const std::string& name, BackupDone done)> back_up{};
  // Writes a line to the log, for instance about a caller's request to the service. The line must contain nothing
  // private.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  DecisionTerms terms;
  bool binary_rewards = false;  // at the rewarder: whether every reward is 0 or 1
  FeatureSchema features{};     // at a party: the columns of the party's features
  RowDrift drift{};             // at a party with a recipe: counts of unusual values in the rows that the recipe made
};
// The handlers of a server share one context. The handlers run only on the thread of the server's Io.
using SharedContext = std::shared_ptr<ApiContext>;

// A route for the method and the path pattern, with a body of the given kind. If the body consists of lines, the answer
// consists of lines too; other answers are JSON.
[[nodiscard]] Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler);

}  // namespace sotto::apps::live
