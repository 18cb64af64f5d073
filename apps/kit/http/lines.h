// Bodies of one JSON value a line (NDJSON): the lines of a request, and their answers in the same order.
//
// A line ends with LF or CRLF; the last one may lack its end. A blank line is a line, and its answer a problem: a
// client counts on as many lines back as it sent.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/http/responder.h"

namespace sotto::apps {

inline constexpr std::size_t most_lines = 4096;

// The lines, without their ends. They point into `body`. Throws ProblemError: 400 for a body without lines, 413 for
// more than `most`.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view body, std::size_t most = most_lines);

// The answers to `count` lines, given in any order; once all are there, the request is answered with them in order.
// Copies share them. Where one is never given, the request is answered with 500.
class LineAnswers {
 public:
  LineAnswers(Responder responder, std::size_t count);

  // False if the line has its answer, or nobody waits any more. std::invalid_argument for a line that is not there.
  bool put(std::size_t line, const nlohmann::json& answer) const;
  bool put(std::size_t line, const nlohmann::ordered_json& answer) const;
  // The problem as an object, whose `status` the line then has.
  bool put(std::size_t line, const Problem& problem) const;
  [[nodiscard]] bool waits() const noexcept;
  [[nodiscard]] const Responder& responder() const noexcept;
  // What all copies share: for who must not hold it.
  struct Parts;
  explicit LineAnswers(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const std::shared_ptr<Parts>& state() const noexcept { return parts_; }

 private:
  bool put_text(std::size_t line, std::string text) const;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::apps
