// Receives the answer to one request from the request's handler. A handler answers through a Responder at once, or
// keeps the Responder and answers later, at most once.
//
// If all responders of a request are destroyed without an answer, the answer is 500. If the client has left, a later
// answer is dropped. All functions must be called on the thread of the server's Io. Another thread passes its answer to
// the thread of the Io by Io::post().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/http/request.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps {

class Responder {
 public:
  // The receiver of a request's answer: a server or a test. `send` is called at most once. `wake_at` requests a call of
  // expire() at the given time.
  struct Sink {
    std::function<void(Answer&&)> send;
    std::function<void(net::Clock::time_point)> wake_at = [](net::Clock::time_point) {};
  };
  class State;

  explicit Responder(Sink sink);
  // Makes another responder for the request of `state`.
  explicit Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // Answers the request. Returns false and sends nothing if the request was answered already or its client has left.
  bool answer(Answer answer) const;
  bool answer(const Problem& problem) const { return this->answer(Answer::of(problem)); }
  // True if the request has no answer yet and its client has not left.
  [[nodiscard]] bool waits() const noexcept;
  // `call` is called when the client leaves, or at once if the client has left already. After an answer, `call` is not
  // called. A client that closed only its sending direction also counts as having left, but an answer is still sent to
  // such a client.
  void when_gone(std::function<void()> call) const;
  // Sends the result of `late` if there is no other answer by `time`. A request has only one deadline: a later call of
  // answer_by() or call_at() replaces it.
  void answer_by(net::Clock::time_point time, std::function<Answer()> late) const;
  // Calls `late` if there is no answer by `time`. Use call_at() instead of answer_by() if `late` cannot return the
  // answer at once, but gives the answer later.
  void call_at(net::Clock::time_point time, std::function<void()> late) const;

  // The state that all copies of a Responder share, for the server and for callers that hold it by a weak pointer.
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// The state that all copies of a responder share.
class Responder::State {
 public:
  explicit State(Sink sink) : sink_(std::move(sink)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  bool answer(Answer&& answer);
  [[nodiscard]] bool waits() const noexcept { return !answered_ && !gone_; }
  void when_gone(std::function<void()> call);
  void call_at(net::Clock::time_point time, std::function<void()> late);

  // The server says that the client has left. After a call with `heard` false, no answer is passed on.
  void leave(bool heard);
  // The time at which expire() is due.
  [[nodiscard]] net::Clock::time_point due() const noexcept { return due_; }
  void expire(net::Clock::time_point now);

 private:
  Sink sink_;
  std::vector<std::function<void()>> when_gone_;
  std::function<void()> late_;
  net::Clock::time_point due_ = net::Clock::time_point::max();
  bool answered_ = false;
  bool gone_ = false;
  bool deaf_ = false;
};

// Bodies with one JSON value a line (NDJSON): the lines of a request, and their answers in the same order.
//
// A line ends with LF or CRLF. The line end of the last line may be missing. A blank line counts as a line, and its
// answer is a problem, because a client expects as many lines as it sent.

inline constexpr std::size_t most_lines = 4096;

// The lines of a body without their line ends. The results point into `body`. Throws ProblemError with status 400 for a
// body without lines, and with status 413 for more than `most` lines.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view body, std::size_t most = most_lines);

// Collects the answers to `count` lines, given in any order. Once the answers to all lines are given, the request is
// answered with all of them in the order of the lines. Copies of a LineAnswers share the answers. If the answer to a
// line is never given, the request is answered with status 500.
class LineAnswers {
 public:
  LineAnswers(Responder responder, std::size_t count);

  // Gives the answer to a line. Returns false if the line has an answer already or if the client no longer waits.
  // Throws std::invalid_argument for a line that does not exist.
  bool put(std::size_t line, const nlohmann::json& answer) const;
  bool put(std::size_t line, const nlohmann::ordered_json& answer) const;
  // Gives a problem as the answer to a line. The answer is a JSON object that includes the problem's `status`.
  bool put(std::size_t line, const Problem& problem) const;
  [[nodiscard]] bool waits() const noexcept;
  [[nodiscard]] const Responder& responder() const noexcept;
  // The state that all copies of a LineAnswers share, for callers that hold it by a weak pointer.
  struct Parts;
  explicit LineAnswers(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const std::shared_ptr<Parts>& state() const noexcept { return parts_; }

 private:
  bool put_text(std::size_t line, std::string text) const;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::apps
