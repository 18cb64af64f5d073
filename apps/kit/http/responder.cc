#include "apps/kit/http/responder.h"

#include <utility>

namespace sotto::apps {

Responder::Responder(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

bool Responder::answer(Answer answer) const { return state_->answer(std::move(answer)); }
bool Responder::waits() const noexcept { return state_->waits(); }
void Responder::when_gone(std::function<void()> call) const { state_->when_gone(std::move(call)); }
void Responder::answer_by(net::Clock::time_point time, std::function<Answer()> late) const {
  // The state has it, so that it outlives the call.
  state_->call_at(time, [state = state_.get(), late = std::move(late)] { state->answer(late()); });
}
void Responder::call_at(net::Clock::time_point time, std::function<void()> late) const {
  state_->call_at(time, std::move(late));
}

Responder::State::~State() {
  if (answered_ || deaf_) return;
  try {
    answer(Answer::of({500, "internal", "The request was dropped by its handler", {}, {}, {}}));
  } catch (...) {  // no memory: the connection's own end will come
    answered_ = true;
  }
}

bool Responder::State::answer(Answer&& answer) {
  if (answered_ || deaf_) return false;
  answered_ = true;
  due_ = net::Clock::time_point::max();
  late_ = nullptr;
  when_gone_.clear();
  // Whoever takes the answer may drop the last responder of a request.
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

void Responder::State::leave(bool heard) {
  deaf_ = deaf_ || !heard;
  if (answered_ || std::exchange(gone_, true)) return;
  for (const auto& call : std::exchange(when_gone_, {})) call();
}

void Responder::State::expire(net::Clock::time_point now) {
  if (answered_ || !late_ || due_ > now) return;
  due_ = net::Clock::time_point::max();
  const auto late = std::exchange(late_, nullptr);
  late();
}

}  // namespace sotto::apps
