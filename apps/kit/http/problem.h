// What goes wrong with a request, as its client is told: `application/problem+json` (RFC 9457). Details hold no value
// of a body: no feature, arm or reward.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sotto::apps {

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
[[nodiscard]] Problem not_found();                                                         // 404
[[nodiscard]] Problem too_large(std::size_t most_bytes);                                   // 413
[[nodiscard]] Problem unavailable(std::string name, std::string title, unsigned seconds);  // 503

}  // namespace sotto::apps
