#include "apps/live/api/api_context.h"

#include <chrono>
#include <utility>

namespace sotto::apps::live {

LiveTime ApiClocks::role_now() const {
  if (role) return role();
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<LiveTime>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler) {
  Route route;
  route.method = method;
  route.pattern = pattern;
  route.handler = std::move(handler);
  route.body = body;
  if (body == BodyKind::lines) route.answers = std::string(lines_type);
  return route;
}

}  // namespace sotto::apps::live
