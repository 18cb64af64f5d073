// The request that a handler receives, and the answer that the handler gives.
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

// The error that a client receives in the answer to its request, as `application/problem+json` (RFC 9457). The text of
// a problem has no value of a body: no feature, arm or reward.

struct Problem {
  unsigned status = 500;  // 400 to 599
  std::string name;       // such as "queue-full" for the type urn:sotto:queue-full
  std::string title;      // one phrase, the same for all problems with this name
  std::string detail;     // one line about this problem; may be empty
  std::string event;      // the id of the affected event; may be empty
  // The seconds for the header `Retry-After`. Without a value here, an answer with status 503 uses default_retry_after.
  std::optional<unsigned> retry_after;
};

inline constexpr unsigned default_retry_after = 1;

// The exception that a handler throws in order to answer with a problem.
class ProblemError : public std::runtime_error {
 public:
  explicit ProblemError(Problem problem) : std::runtime_error(problem.title), problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }

 private:
  Problem problem_;
};

// The seconds that the answer asks its client to wait. For a problem without a value, returns default_retry_after for
// status 503 and nothing for any other status.
[[nodiscard]] std::optional<unsigned> seconds_to_wait(const Problem& problem);

// The body of an answer with the problem: one line of printable JSON.
[[nodiscard]] std::string problem_json(const Problem& problem);

// The problems that the HTTP server itself finds in a request.
[[nodiscard]] Problem malformed_request(std::string detail);                               // 400
[[nodiscard]] Problem bad_body(std::string detail);                                        // 400
[[nodiscard]] Problem for_reading();                                                       // 403
[[nodiscard]] Problem not_found();                                                         // 404
[[nodiscard]] Problem too_large(std::size_t most_bytes);                                   // 413
[[nodiscard]] Problem unavailable(std::string name, std::string title, unsigned seconds);  // 503

struct Request {
  std::string method;
  // For each {name} in the route's pattern, the text at its place in the path: 1 to longest_capture bytes, without '/'
  // and ':'.
  std::map<std::string, std::string, std::less<>> captures;
  std::map<std::string, std::string, std::less<>> query;  // only names that the route allows
  std::string body;                                       // the whole body, within the route's limit
  std::string from;                                       // where the request came from: "127.0.0.1:53120", "user 1000"
  bool reads_only = false;                                // true if the request came with the token for readers

  // The text for a {name} of the route's pattern. Throws std::invalid_argument for any other name.
  [[nodiscard]] const std::string& capture(std::string_view name) const;
  // The value of wait_ms in the query, or nothing if the query has no wait_ms. Throws ProblemError (400) unless the
  // value is a whole number from 0 to `longest`.
  [[nodiscard]] std::optional<std::chrono::milliseconds> wait(std::chrono::milliseconds longest) const;
};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view lines_type = "application/x-ndjson";
inline constexpr std::string_view problem_type = "application/problem+json";
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

struct Answer {
  unsigned status = 200;
  std::string type;  // type of the body; empty without a body
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // additional headers: Location, Allow

  // An answer with status 204, without a body.
  [[nodiscard]] static Answer nothing();
  [[nodiscard]] static Answer json(const nlohmann::json& value, unsigned status = 200);
  [[nodiscard]] static Answer json(const nlohmann::ordered_json& value, unsigned status = 200);
  [[nodiscard]] static Answer text(std::string body, std::string_view type);
  // The answer for a problem. Every answer with status 503 has the header Retry-After.
  [[nodiscard]] static Answer of(const Problem& problem);
};

// The phrase for a status, such as "OK" or "Not Found". The phrase is "Status" for a status without a name.
[[nodiscard]] std::string_view reason_of(unsigned status);

// The bytes of an answer. `keep` says whether another request may follow on the connection. `head_only` leaves out the
// body but not its Content-Length. `date` is the value of the header Date. Throws std::invalid_argument if a header
// contains a control character.
[[nodiscard]] std::string answer_bytes(const Answer& answer, bool keep, bool head_only, std::string_view date);

}  // namespace sotto::apps
