#include "apps/kit/http/responder.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "apps/kit/files/json.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

Responder::Responder(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

bool Responder::answer(Answer answer) const { return state_->answer(std::move(answer)); }
bool Responder::waits() const noexcept { return state_->waits(); }
void Responder::when_gone(std::function<void()> call) const { state_->when_gone(std::move(call)); }
void Responder::answer_by(net::Clock::time_point time, std::function<Answer()> late) const {
  // The state owns this callback, so the state exists whenever the callback runs.
  state_->call_at(time, [state = state_.get(), late = std::move(late)] { state->answer(late()); });
}
void Responder::call_at(net::Clock::time_point time, std::function<void()> late) const {
  state_->call_at(time, std::move(late));
}

Responder::State::~State() {
  if (answered_ || deaf_) return;
  try {
    answer(Answer::of({500, "internal", "The request was dropped by its handler", {}, {}, {}}));
  } catch (...) {
    answered_ = true;
  }
}

bool Responder::State::answer(Answer&& answer) {
  if (answered_ || deaf_) return false;
  answered_ = true;
  due_ = net::Clock::time_point::max();
  late_ = nullptr;
  when_gone_.clear();
  // The receiver of the answer may destroy this state.
  const auto send = std::exchange(sink_.send, nullptr);
  send(std::move(answer));
  return true;
}

void Responder::State::when_gone(std::function<void()> call) {
  if (answered_) return;
  if (gone_) return call();
  when_gone_.push_back(std::move(call));
}

void Responder::State::call_at(net::Clock::time_point time, std::function<void()> late) {
  if (answered_ || deaf_) return;
  due_ = time;
  late_ = std::move(late);
  sink_.wake_at(time);
}

void Responder::State::leave(bool received) {
  deaf_ = deaf_ || !received;
  if (answered_ || std::exchange(gone_, true)) return;
  for (const auto& call : std::exchange(when_gone_, {})) call();
}

void Responder::State::expire(net::Clock::time_point now) {
  if (answered_ || !late_ || due_ > now) return;
  due_ = net::Clock::time_point::max();
  const auto late = std::exchange(late_, nullptr);
  late();
}

std::vector<std::string_view> lines_of(std::string_view body, std::size_t most) {
  if (body.empty()) throw ProblemError(bad_body("expected one JSON object a line, got no line"));
  std::vector<std::string_view> lines;
  while (!body.empty()) {
    if (lines.size() == most) {
      Problem problem = too_large(0);
      problem.detail = fmt::format("at most {}", counted(most, "line"));
      throw ProblemError(std::move(problem));
    }
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

struct LineAnswers::Parts {
  Responder responder;
  std::vector<std::string> texts;
  std::size_t missing;
};

LineAnswers::LineAnswers(Responder responder, std::size_t count)
    : parts_(std::make_shared<Parts>(Parts{std::move(responder), std::vector<std::string>(count), count})) {
  require_argument(count > 0, "answers to at least one line");
}

bool LineAnswers::waits() const noexcept { return parts_->missing > 0 && parts_->responder.waits(); }
const Responder& LineAnswers::responder() const noexcept { return parts_->responder; }

bool LineAnswers::put(std::size_t line, const nlohmann::json& answer) const {
  return put_text(line, json_text(answer));
}
bool LineAnswers::put(std::size_t line, const nlohmann::ordered_json& answer) const {
  return put_text(line, json_text(answer));
}
bool LineAnswers::put(std::size_t line, const Problem& problem) const { return put_text(line, problem_json(problem)); }

bool LineAnswers::put_text(std::size_t line, std::string text) const {
  Parts& parts = *parts_;
  require_argument(line < parts.texts.size(), "an answer to a line that is not there");
  if (!parts.texts[line].empty()) return false;
  parts.texts[line] = std::move(text);
  if (--parts.missing > 0) return parts.responder.waits();
  const std::size_t bytes = std::transform_reduce(parts.texts.begin(), parts.texts.end(), std::size_t{0}, std::plus<>(),
                                                  [](const std::string& each) { return each.size() + 1; });
  std::string body;
  body.reserve(bytes);
  for (std::string& each : parts.texts) {
    body += each;
    body += '\n';
  }
  return parts.responder.answer(Answer::text(std::move(body), lines_type));
}

}  // namespace sotto::apps
