#include "apps/kit/http/problem.h"

#include <fmt/format.h>

#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

constexpr std::size_t longest_detail = 1024;  // bytes

}  // namespace

std::optional<unsigned> seconds_to_wait(const Problem& problem) {
  if (problem.retry_after) return problem.retry_after;
  return problem.status == 503 ? std::optional(default_retry_after) : std::nullopt;
}

std::string problem_json(const Problem& problem) {
  nlohmann::ordered_json json;
  json["type"] = problem.name.empty() ? "about:blank" : "urn:sotto:" + problem.name;
  json["title"] = problem.title;
  json["status"] = problem.status;
  if (!problem.detail.empty()) json["detail"] = terminal_safe(problem.detail, longest_detail);
  if (!problem.event.empty()) json["event"] = printable(problem.event, 64);
  return json_text(json);
}

Problem malformed_request(std::string detail) {
  return {400, "malformed-request", "The request is not HTTP/1.1 as it is taken here", std::move(detail), {}, {}};
}

Problem bad_body(std::string detail) {
  return {400, "bad-body", "The body is not what this path takes", std::move(detail), {}, {}};
}

Problem not_found() { return {404, "not-found", "There is nothing at this path", {}, {}, {}}; }

Problem too_large(std::size_t most_bytes) {
  return {413, "too-large", "The body is too large", fmt::format("at most {}", counted(most_bytes, "byte")), {}, {}};
}

Problem unavailable(std::string name, std::string title, unsigned seconds) {
  return {503, std::move(name), std::move(title), {}, {}, seconds};
}

}  // namespace sotto::apps
