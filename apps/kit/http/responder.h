// Sends the answer to one request, at once or later, at most once. If all responders of a request are destroyed without
// an answer, the client receives status 500. All functions must be called on the thread of the server's Io; another
// thread uses Io::post().
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
  // `send` is called at most once, and `wake_at` requests a call of expire().
  struct Sink {
    std::function<void(Answer&&)> send;
    std::function<void(net::Clock::time_point)> wake_at = [](net::Clock::time_point) {};
  };
  class State;

  explicit Responder(Sink sink);
  explicit Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // Returns false if the request was answered already or its client has left.
  bool answer(Answer answer) const;
  bool answer(const Problem& problem) const { return this->answer(Answer::of(problem)); }
  [[nodiscard]] bool waits() const noexcept;
  // `call` is called when the client leaves, or at once if the client has left already. After an answer, `call` is not
  // called.
  void when_gone(std::function<void()> call) const;
  // A later call of answer_by() or call_at() replaces this deadline.
  void answer_by(net::Clock::time_point time, std::function<Answer()> late) const;
  void call_at(net::Clock::time_point time, std::function<void()> late) const;

  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

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

  // The client has left. If `received` is false, the client can receive no answer any more, so later answers are
  // dropped.
  void leave(bool received);
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

// In NDJSON, each line of a body is one JSON value. The answer has one line for each line of the request, in the same
// order. A blank line counts as a line, because a client expects as many answers as it sent lines.

inline constexpr std::size_t most_lines = 4096;

// Throws ProblemError with status 400 for a body without lines, and with status 413 for more than `most` lines.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view body, std::size_t most = most_lines);

// If an answer is missing when the last copy is destroyed, the client receives status 500.
class LineAnswers {
 public:
  LineAnswers(Responder responder, std::size_t count);

  // Returns false if the line has an answer already or if the client no longer waits. Throws std::invalid_argument for
  // a line that does not exist.
  bool put(std::size_t line, const nlohmann::json& answer) const;
  bool put(std::size_t line, const nlohmann::ordered_json& answer) const;
  bool put(std::size_t line, const Problem& problem) const;
  [[nodiscard]] bool waits() const noexcept;
  [[nodiscard]] const Responder& responder() const noexcept;
  struct Parts;
  explicit LineAnswers(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] const std::shared_ptr<Parts>& state() const noexcept { return parts_; }

 private:
  bool put_text(std::size_t line, std::string text) const;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sotto::apps
