#include "apps/kit/http/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "apps/kit/files/json.h"
#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

struct StatusName {
  unsigned status;
  std::string_view name;
};
constexpr std::array<StatusName, 27> status_names{{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

void require_header(const std::string& name, const std::string& value) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  const bool sound = !name.empty() && std::none_of(name.begin(), name.end(), is_control) &&
                     std::none_of(value.begin(), value.end(), is_control);
  if (!sound) throw std::invalid_argument("a header of an answer holds a control character");
}

constexpr std::size_t longest_detail = 1024;  // bytes of Problem::detail

}  // namespace

const std::string& Request::capture(std::string_view name) const {
  const auto found = captures.find(name);
  if (found == captures.end()) throw std::invalid_argument("a capture that is not in the route's pattern");
  return found->second;
}

std::optional<std::chrono::milliseconds> Request::wait(std::chrono::milliseconds longest) const {
  const auto found = query.find("wait_ms");
  if (found == query.end()) return std::nullopt;
  const auto value = number_of<unsigned long>(found->second);
  if (!value || *value > static_cast<unsigned long>(longest.count())) {
    throw ProblemError(
        malformed_request(fmt::format("wait_ms: expected a whole number from 0 to {}", longest.count())));
  }
  return std::chrono::milliseconds(*value);
}

Answer Answer::nothing() { return {204, {}, {}, {}}; }

Answer Answer::json(const nlohmann::json& value, unsigned status) {
  return {status, std::string(json_type), json_text(value), {}};
}

Answer Answer::json(const nlohmann::ordered_json& value, unsigned status) {
  return {status, std::string(json_type), json_text(value), {}};
}

Answer Answer::text(std::string body, std::string_view type) { return {200, std::string(type), std::move(body), {}}; }

Answer Answer::of(const Problem& problem) {
  Answer answer{problem.status, std::string(problem_type), problem_json(problem), {}};
  if (const auto seconds = seconds_to_wait(problem)) {
    answer.headers.emplace_back("Retry-After", std::to_string(*seconds));
  }
  return answer;
}

std::string_view reason_of(unsigned status) {
  const auto* const found =
      std::find_if(status_names.begin(), status_names.end(), [&](const auto& entry) { return entry.status == status; });
  return found == status_names.end() ? "Status" : found->name;
}

std::string answer_bytes(const Answer& answer, bool keep, bool head_only, std::string_view date) {
  std::string bytes;
  bytes.reserve(256 + (head_only ? 0 : answer.body.size()));
  const auto out = std::back_inserter(bytes);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", answer.status, reason_of(answer.status), date);
  if (!answer.type.empty()) fmt::format_to(out, "Content-Type: {}\r\n", answer.type);
  // An answer with status 204 has no Content-Length (RFC 9110, 8.6).
  if (answer.status != 204) fmt::format_to(out, "Content-Length: {}\r\n", answer.body.size());
  // An answer is only for its client, so no cache may store it.
  bytes += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
  for (const auto& [name, value] : answer.headers) {
    require_header(name, value);
    fmt::format_to(out, "{}: {}\r\n", name, value);
  }
  bytes += keep ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!head_only && answer.status != 204) bytes += answer.body;
  return bytes;
}

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

Problem for_reading() {
  return {403, "read-only-token", "The token is for figures, metrics and the page alone", {}, {}, {}};
}

Problem not_found() { return {404, "not-found", "There is nothing at this path", {}, {}, {}}; }

Problem too_large(std::size_t most_bytes) {
  return {413, "too-large", "The body is too large", fmt::format("at most {}", counted(most_bytes, "byte")), {}, {}};
}

Problem unavailable(std::string name, std::string title, unsigned seconds) {
  return {503, std::move(name), std::move(title), {}, {}, seconds};
}

}  // namespace sotto::apps
