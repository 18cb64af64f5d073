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

struct ApiClocks {
  std::function<net::Clock::time_point()> server{};  // the same clock as HttpConfig::now
  std::function<LiveTime()> role{};

  [[nodiscard]] net::Clock::time_point server_now() const { return server ? server() : net::Clock::now(); }
  [[nodiscard]] LiveTime role_now() const;  // ms since 1970
};

using BackupDone = std::function<void(const std::optional<Problem>&)>;

struct ApiContext {
  ApiClocks clocks;
  // Empty if the config names no folder for backups.
  std::function<void(const std::string& name, BackupDone done)> back_up{};
  // The line must contain nothing private.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  DecisionTerms terms;
  bool binary_rewards = false;
  FeatureSchema features{};
  RowDrift drift{};
};
// The handlers of a server share one context, and run only on the thread of the server's Io.
using SharedContext = std::shared_ptr<ApiContext>;

// If the body consists of lines, the answer consists of lines too; other answers are JSON.
[[nodiscard]] Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler);

}  // namespace sotto::apps::live
