// A request that a handler receives, and its answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::apps {

// An error that a client receives as `application/problem+json` (RFC 9457). No text of a problem contains a feature, an
// arm or a reward.

struct Problem {
  unsigned status = 500;  // 400 to 599
  std::string name;       // such as "queue-full"
  std::string title;      // one phrase
  std::string detail;     // may be empty
  std::string event;      // may be empty
  // Seconds for the header Retry-After.
  std::optional<unsigned> retry_after;
};

inline constexpr unsigned default_retry_after = 1;

class ProblemError : public std::runtime_error {
 public:
  explicit ProblemError(Problem problem) : std::runtime_error(problem.title), problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }

 private:
  Problem problem_;
};

[[nodiscard]] std::optional<unsigned> seconds_to_wait(const Problem& problem);

[[nodiscard]] std::string problem_json(const Problem& problem);

[[nodiscard]] Problem malformed_request(std::string detail);                               // 400
[[nodiscard]] Problem bad_body(std::string detail);                                        // 400
[[nodiscard]] Problem for_reading();                                                       // 403
[[nodiscard]] Problem not_found();                                                         // 404
[[nodiscard]] Problem too_large(std::size_t most_bytes);                                   // 413
[[nodiscard]] Problem unavailable(std::string name, std::string title, unsigned seconds);  // 503

struct Request {
  std::string method;
  // Each {name} of the pattern matches 1 to longest_capture bytes without '/' and ':'.
  std::map<std::string, std::string, std::less<>> captures;
  std::map<std::string, std::string, std::less<>> query;
  std::string body;
  std::string from;
  bool reads_only = false;  // the client has shown the readers' token

  // Throws std::invalid_argument if the route's pattern has no {name} of this name.
  [[nodiscard]] const std::string& capture(std::string_view name) const;
  // Reads `wait_ms` from the query; returns nothing if it is missing. Throws ProblemError (400) unless its value is a
  // whole number from 0 to `longest`.
  [[nodiscard]] std::optional<std::chrono::milliseconds> wait(std::chrono::milliseconds longest) const;
};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view lines_type = "application/x-ndjson";
inline constexpr std::string_view problem_type = "application/problem+json";
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

struct Answer {
  unsigned status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  // Status 204.
  [[nodiscard]] static Answer nothing();
  [[nodiscard]] static Answer json(const nlohmann::json& value, unsigned status = 200);
  [[nodiscard]] static Answer json(const nlohmann::ordered_json& value, unsigned status = 200);
  [[nodiscard]] static Answer text(std::string body, std::string_view type);
  [[nodiscard]] static Answer of(const Problem& problem);
};

[[nodiscard]] std::string_view reason_of(unsigned status);

// If `head_only` is true, the bytes contain no body, but the header still states the length of the body. Throws
// std::invalid_argument if a header contains a control character.
[[nodiscard]] std::string answer_bytes(const Answer& answer, bool keep, bool head_only, std::string_view date);

}  // namespace sotto::apps
