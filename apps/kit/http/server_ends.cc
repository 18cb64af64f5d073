// How connections of the server end: refused, at a deadline, when the server stops, for want of memory.
#include <algorithm>
#include <utility>

#include "apps/kit/http/server_core.h"

namespace sotto::apps {
namespace {

constexpr std::chrono::milliseconds last_words{2'000};

}  // namespace

template <class Do>
void HttpServerCore::for_each(Do action) {
  // What is done to one may end others.
  for (const std::uint64_t id : ids()) {
    const auto found = connections_.find(id);
    if (found != connections_.end() && !found->second->in_turn) action(*found->second);
  }
}

std::vector<std::uint64_t> HttpServerCore::ids() const {
  std::vector<std::uint64_t> result;
  result.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) result.push_back(id);
  return result;
}

// Answers with the problem in place of what is under way, and closes. turn() is to follow.
void HttpServerCore::refuse(Connection& connection, const Problem& problem) {
  if (connection.stage >= Stage::writing) return set_gone(connection);  // half an answer may be out
  if (connection.stage == Stage::working) {
    --working_;
    connection.handed = 0;
    client_left(connection, false);
  }
  connection.keep = false;
  connection.reader.reset();
  std::string().swap(connection.input);
  if (connection.began == Time{}) connection.began = now();
  respond(connection, Answer::of(problem));
}

void HttpServerCore::client_left(Connection& connection, bool heard) {
  if (const auto state = connection.responder.lock()) state->leave(heard);
}

void HttpServerCore::set_gone(Connection& connection) {
  count(connection);
  const Stage before = std::exchange(connection.stage, Stage::gone);
  if (before != Stage::working) return;
  --working_;
  client_left(connection, false);
}

void HttpServerCore::erase(Connection& connection) {
  held_ -= connection.held;
  connections_.erase(connection.id);
}

void HttpServerCore::stop(std::chrono::milliseconds within) {
  stop_by_ = std::min(stop_by_, now() + within);
  if (!std::exchange(stopping_, true)) {
    tcp_.reset();
    if (unix_) unix_->stop();
    for_each([this](Connection& connection) {
      if (connection.stage != Stage::idle) return;
      set_gone(connection);
      erase(connection);
    });
  }
  wake_by(stop_by_);
}

void HttpServerCore::tick() {
  const auto self = shared_from_this();
  const Time time = now();
  for_each([&](Connection& connection) { look_at(connection, time); });
  if (stopping_ && time >= stop_by_) {
    for_each([this](Connection& connection) { end_of_stop(connection); });
  }
  Time next = stopping_ && time < stop_by_ ? stop_by_ : Time::max();
  for (const auto& [id, connection] : connections_) {
    next = std::min(next, connection->deadline);
    const auto state = connection->responder.lock();
    if (state && connection->stage == Stage::working) next = std::min(next, state->due());
  }
  if (next != Time::max()) wake_by(next);
}

void HttpServerCore::look_at(Connection& connection, Time time) {
  if (connection.stage == Stage::working) {
    const auto state = connection.responder.lock();
    if (!state) return;
    try {
      state->expire(time);
    } catch (const std::exception& error) {
      if (config_.on_failure) config_.on_failure(connection.pattern, error.what());
      state->answer(Answer::of({500, "internal", "The request could not be handled", {}, {}, {}}));
    }
    return;
  }
  if (time < connection.deadline) return;
  if (connection.stage == Stage::head || connection.stage == Stage::body) {
    refuse(connection, {408, "request-timeout", "The request did not come in time", {}, {}, {}});
    return turn(connection);
  }
  set_gone(connection);
  erase(connection);
}

// The time for what was under way is over.
void HttpServerCore::end_of_stop(Connection& connection) {
  if (connection.stage == Stage::working) {
    const std::uint64_t id = connection.id;
    const auto state = connection.responder.lock();
    if (state) state->answer(Answer::of(unavailable("stopping", "The service stops", default_retry_after)));
    if (!connections_.contains(id)) return;
  }
  if (connection.stage >= Stage::writing) {
    connection.deadline = std::min(connection.deadline, stop_by_ + last_words);
    return;
  }
  set_gone(connection);
  erase(connection);
}

void HttpServerCore::weigh(Connection& connection) {
  std::size_t held = connection.input.capacity() + connection.out.capacity() + connection.handed;
  if (connection.reader) held += connection.reader->body().capacity();
  held_ += held - connection.held;
  connection.held = held;
}

// Whoever makes progress is spared: requests that are sent in earnest become whole. Handlers have the bytes of those
// that are; they are counted, and not taken away.
void HttpServerCore::relieve() {
  while (held_ > config_.limits.most_held_bytes) {
    Connection* oldest = nullptr;
    for (const auto& [id, connection] : connections_) {
      const Stage stage = connection->stage;
      const bool counts = stage == Stage::head || stage == Stage::body || stage == Stage::writing;
      if (connection->in_turn || !counts) continue;
      if (oldest == nullptr || connection->held_since < oldest->held_since) oldest = connection.get();
    }
    if (oldest == nullptr) return;
    if (oldest->stage == Stage::writing) {
      set_gone(*oldest);
      erase(*oldest);
      continue;
    }
    refuse(*oldest, unavailable("too-busy", "Too many requests at once", default_retry_after));
    weigh(*oldest);
    turn(*oldest);
  }
}

}  // namespace sotto::apps
