// A request as its handler gets it, and the answer that the handler gives.
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

// What goes wrong with a request, as its client is told: `application/problem+json` (RFC 9457). Details hold no value
// of a body: no feature, arm or reward.

struct Problem {
  unsigned status = 500;  // 400 to 599
  std::string name;       // "queue-full": the type is urn:sotto:queue-full
  std::string title;      // one phrase, the same for all problems of the name
  std::string detail;     // one line of this one; may be empty
  std::string event;      // the id of the event concerned; may be empty
  // Seconds, for `Retry-After`. Of a 503 without it, default_retry_after.
  std::optional<unsigned> retry_after;
};

inline constexpr unsigned default_retry_after = 1;

// A handler throws it in place of an answer.
class ProblemError : public std::runtime_error {
 public:
  explicit ProblemError(Problem problem) : std::runtime_error(problem.title), problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }

 private:
  Problem problem_;
};

// Seconds that a 503 of the problem asks to wait for; nothing of another status without its own.
[[nodiscard]] std::optional<unsigned> seconds_to_wait(const Problem& problem);

// The body: one line of JSON, printable.
[[nodiscard]] std::string problem_json(const Problem& problem);

// The problems that the server itself finds.
[[nodiscard]] Problem malformed_request(std::string detail);                               // 400
[[nodiscard]] Problem bad_body(std::string detail);                                        // 400
[[nodiscard]] Problem for_reading();                                                       // 403
[[nodiscard]] Problem not_found();                                                         // 404
[[nodiscard]] Problem too_large(std::size_t most_bytes);                                   // 413
[[nodiscard]] Problem unavailable(std::string name, std::string title, unsigned seconds);  // 503

struct Request {
  std::string method;
  // What stands in the path for each {name} of the route's pattern: 1 to longest_capture bytes, without '/' and ':'.
  std::map<std::string, std::string, std::less<>> captures;
  std::map<std::string, std::string, std::less<>> query;  // of the names that the route knows
  std::string body;                                       // whole, within the route's limit
  std::string from;                                       // "127.0.0.1:53120", "user 1000"
  bool reads_only = false;                                // came with the token of those who only read

  // Of a {name} of the route; std::invalid_argument for another.
  [[nodiscard]] const std::string& capture(std::string_view name) const;
  // The query's wait_ms; none if it is not given. ProblemError (400) if it is no whole number from 0 to `longest`.
  [[nodiscard]] std::optional<std::chrono::milliseconds> wait(std::chrono::milliseconds longest) const;
};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view lines_type = "application/x-ndjson";
inline constexpr std::string_view problem_type = "application/problem+json";
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

struct Answer {
  unsigned status = 200;
  std::string type;  // of the body; none without one
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // further ones: Location, Allow

  // 204, without a body.
  [[nodiscard]] static Answer nothing();
  [[nodiscard]] static Answer json(const nlohmann::json& value, unsigned status = 200);
  [[nodiscard]] static Answer json(const nlohmann::ordered_json& value, unsigned status = 200);
  [[nodiscard]] static Answer text(std::string body, std::string_view type);
  // With Retry-After on every 503.
  [[nodiscard]] static Answer of(const Problem& problem);
};

// "OK", "Not Found"; of a status without a name, "Status".
[[nodiscard]] std::string_view reason_of(unsigned status);

// The bytes of an answer. `keep` says whether another request may follow; `head_only` leaves the body out, whose length
// is told all the same; `date` is the time of day as the header Date has it. std::invalid_argument where a header holds
// a control character.
[[nodiscard]] std::string answer_bytes(const Answer& answer, bool keep, bool head_only, std::string_view date);

}  // namespace sotto::apps
