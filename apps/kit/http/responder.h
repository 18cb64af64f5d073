// The place of one answer: a handler answers through it at once, or keeps it and answers later, once at most.
//
// A request whose responders are all destroyed without an answer is answered with 500. When the client has left, the
// answer is nobody's any more: what then still comes is dropped. All functions are for the thread of the server's Io;
// another thread gives its answer to that one by Io::post().
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
  // What takes the answer of a request, a server or a test: `send` is called at most once; `wake_at` asks for a call of
  // expire() at that time.
  struct Sink {
    std::function<void(Answer&&)> send;
    std::function<void(net::Clock::time_point)> wake_at = [](net::Clock::time_point) {};
  };
  class State;

  explicit Responder(Sink sink);
  // One more for the same request.
  explicit Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // False if it has been answered, or its client has left: then nothing is sent.
  bool answer(Answer answer) const;
  bool answer(const Problem& problem) const { return this->answer(Answer::of(problem)); }
  // Neither answered, nor has the client left.
  [[nodiscard]] bool waits() const noexcept;
  // Called when the client has left, at once if it has already; not after an answer. A client that ended its direction
  // only counts as one that may have left: what is answered is still sent.
  void when_gone(std::function<void()> call) const;
  // `late` is what is answered if nothing else has been by then. One time a request; a later call replaces it.
  void answer_by(net::Clock::time_point time, std::function<Answer()> late) const;
  // The same, where it takes more to answer then: `late` is called, if nothing has been answered by then.
  void call_at(net::Clock::time_point time, std::function<void()> late) const;

  // For the server.
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

// What all copies of a responder share.
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

  // The client has left: an answer is still passed on while `heard`, and no later than that.
  void leave(bool heard);
  // When expire() is due.
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

// Bodies of one JSON value a line (NDJSON): the lines of a request, and their answers in the same order.
//
// A line ends with LF or CRLF; the last one may lack its end. A blank line is a line, and its answer a problem: a
// client counts on as many lines back as it sent.

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
