#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <utility>

#include "apps/kit/http/json_body.h"
#include "apps/kit/http/server_core.h"

namespace sotto::apps {
namespace {

// A client that sends much must not delay other clients.
constexpr int most_steps_at_once = 64;
// Each buffer of an idle connection keeps at most this many bytes.
constexpr std::size_t small_buffer = 4096;
constexpr std::chrono::milliseconds linger_for{2'000};
// After a refusal, the server reads and drops at most this many bytes of the client.
constexpr std::uint64_t most_discarded = std::uint64_t{16} << 20;
constexpr std::string_view proceed = "HTTP/1.1 100 Continue\r\n\r\n";

void clear_buffer(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > small_buffer) std::string().swap(buffer);
}

Answer unauthorized() {
  Answer answer = Answer::of({401, "unauthorized", "The token is missing or wrong", {}, {}, {}});
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

Problem internal_problem() { return {500, "internal", "The request could not be handled", {}, {}, {}}; }

}  // namespace

void HttpServerCore::turn(Connection& connection) {
  if (connection.in_turn) return;
  // A handler may destroy the server.
  const auto self = shared_from_this();
  connection.in_turn = true;
  connection.again = true;
  for (int i = 0; connection.again && i < most_steps_at_once; ++i) connection.again = step(connection);
  connection.in_turn = false;
  settle(connection);
}

bool HttpServerCore::step(Connection& connection) {
  switch (connection.stage) {
    case Stage::idle:
    case Stage::head:
    case Stage::body:
      return take_request(connection);
    case Stage::working:
      return read(connection);
    case Stage::writing:
      return write(connection);
    case Stage::linger:
      return linger(connection);
    case Stage::gone:
      break;
  }
  return false;
}

bool HttpServerCore::read(Connection& connection) {
  const std::size_t most = connection.stage == Stage::body ? scratch_.size() : config_.limits.longest_header;
  if (connection.ended || connection.input.size() >= most) return false;
  const std::size_t room = std::min(most - connection.input.size(), scratch_.size());
  const auto into = std::as_writable_bytes(std::span(scratch_)).first(room);
  const net::ByteStream::Transfer in = connection.stream->read_some(into);
  using State = net::ByteStream::State;
  if (in.state == State::moved) {
    connection.input.append(scratch_, 0, in.bytes);
    return true;
  }
  if (in.state == State::lost) set_gone(connection);
  if (in.state == State::closed) {
    connection.ended = true;
    if (connection.stage == Stage::working) client_left(connection, true);
  }
  return false;
}

bool HttpServerCore::take_request(Connection& connection) {
  if (connection.stage == Stage::idle) {
    if (connection.input.empty()) {
      if (read(connection)) return true;
      if (connection.ended) set_gone(connection);
      return false;
    }
    connection.stage = Stage::head;
    connection.reader.emplace(config_.limits.longest_header);
    connection.began = connection.held_since = now();
    connection.deadline = std::min(connection.deadline, connection.began + config_.limits.header_within);
  }
  if (!connection.out.empty() && !flush(connection) && connection.stage == Stage::gone) return false;
  std::string_view rest = connection.input;
  const RequestReader::Event event = connection.reader->read(rest);
  connection.input.erase(0, connection.input.size() - rest.size());
  switch (event) {
    case RequestReader::Event::more:
      if (read(connection)) return true;
      if (connection.ended) set_gone(connection);
      return false;
    case RequestReader::Event::head:
      return judge(connection);
    case RequestReader::Event::done:
      dispatch(connection);
      return true;
    case RequestReader::Event::failed:
      break;
  }
  const Problem fault = connection.reader->fault();
  refuse(connection, fault);
  return true;
}

bool HttpServerCore::judge(Connection& connection) {
  const RequestHead head = connection.reader->head();
  connection.head_only = head.method == "HEAD";
  connection.keep = head.keep_alive;
  Router::Found found = router_.find(head);
  const bool open = found.route != nullptr && found.route->open;
  bool reads = false;
  if (token_ && !open && !token_->admits(head.authorization)) {
    reads = reader_token_ && reader_token_->admits(head.authorization);
    if (!reads) {
      found.refusal = unauthorized();
      found.pattern.clear();
    } else if (found.route == nullptr || !found.route->for_readers) {
      found.refusal = Answer::of(for_reading());
    }
  }
  connection.pattern = found.pattern;
  if (found.refusal) {
    // Nobody reads the body of a refused request.
    if (head.has_body) connection.keep = false;
    connection.reader.reset();
    respond(connection, *found.refusal);
    return true;
  }
  connection.spoke = true;
  connection.route = found.route;
  connection.found = std::move(found.request);
  connection.found.reads_only = reads;
  connection.reader->allow(Router::most_bytes_of(*found.route));
  connection.stage = Stage::body;
  connection.deadline = now() + config_.limits.body_within;
  if (head.expects_continue && head.has_body) connection.out += proceed;
  return true;
}

void HttpServerCore::dispatch(Connection& connection) {
  Request request = std::move(connection.found);
  request.body = std::move(connection.reader->body());
  request.from = connection.from;
  connection.reader.reset();
  if (connection.input.empty()) clear_buffer(connection.input);
  connection.stage = Stage::working;
  connection.deadline = Time::max();
  connection.handed = request.body.capacity();
  ++working_;
  const std::uint64_t number = ++connection.request;
  const std::weak_ptr<HttpServerCore> weak = weak_from_this();
  const Responder responder(Responder::Sink{[weak, id = connection.id, number](Answer&& answer) {
                                              const auto core = weak.lock();
                                              if (core) core->answered(id, number, std::move(answer));
                                            },
                                            [weak](Time time) {
                                              const auto core = weak.lock();
                                              if (core) core->wake_by(time);
                                            }});
  connection.responder = responder.state();
  call_handler(connection, std::move(request), responder);
}

void HttpServerCore::call_handler(Connection& connection, Request&& request, const Responder& responder) {
  const Route& route = *connection.route;
  try {
    route.handler(std::move(request), responder);
  } catch (const ProblemError& error) {
    responder.answer(error.problem());
  } catch (const JsonError& error) {
    responder.answer(bad_body(error.what()));
  } catch (const std::exception& error) {
    if (config_.on_failure) config_.on_failure(route.pattern, error.what());
    responder.answer(internal_problem());
  }
}

void HttpServerCore::answered(std::uint64_t id, std::uint64_t request, Answer&& answer) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if (connection.stage != Stage::working || connection.request != request) return;
  --working_;
  connection.handed = 0;
  respond(connection, answer);
  turn(connection);
}

void HttpServerCore::respond(Connection& connection, const Answer& answer) {
  connection.keep = connection.keep && !stopping_ && !(connection.ended && connection.input.empty());
  connection.status = answer.status;
  try {
    connection.out += answer_bytes(answer, connection.keep, connection.head_only, date());
  } catch (const std::invalid_argument& error) {
    if (config_.on_failure) config_.on_failure(connection.pattern, error.what());
    const Answer instead = Answer::of(internal_problem());
    connection.status = instead.status;
    connection.out += answer_bytes(instead, connection.keep, connection.head_only, date());
  }
  connection.stage = Stage::writing;
  connection.held_since = now();
  connection.deadline = connection.held_since + config_.limits.taken_within;
}

const std::string& HttpServerCore::date() {
  const std::time_t second = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (second != date_of_) date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(second));
  date_of_ = second;
  return date_;
}

void HttpServerCore::count(Connection& connection) {
  const unsigned status = std::exchange(connection.status, 0U);
  if (status == 0) return;
  const std::string path = connection.pattern.empty() ? "other" : connection.pattern;
  const std::chrono::duration<double> took = now() - connection.began;
  if (config_.on_answer) config_.on_answer(path, status, took.count());
  if (config_.metrics == nullptr) return;
  config_.metrics
      ->counter("sotto_http_requests_total", "Requests, by the pattern of their path and the status of their answer.",
                {{"path", path}, {"code", std::to_string(status)}})
      .add();
  config_.metrics
      ->histogram("sotto_http_seconds", "Time from the first byte of a request to its answer.", seconds_bounds(),
                  {{"path", path}})
      .observe(took.count());
}

bool HttpServerCore::flush(Connection& connection) {
  using State = net::ByteStream::State;
  while (connection.sent < connection.out.size()) {
    const auto rest = std::as_bytes(std::span(connection.out)).subspan(connection.sent);
    const net::ByteStream::Transfer out = connection.stream->write_some({}, rest);
    if (out.state == State::would_block) return false;
    if (out.state != State::moved) {
      set_gone(connection);
      return false;
    }
    connection.sent += out.bytes;
  }
  if (connection.stream->holds_output() && !connection.stream->push()) return false;
  connection.sent = 0;
  clear_buffer(connection.out);
  return true;
}

bool HttpServerCore::write(Connection& connection) {
  const bool is_out = flush(connection);
  count(connection);
  if (!is_out) return false;
  if (connection.keep) {
    await_request(connection);
  } else {
    connection.stream->end_writing();
    connection.stage = Stage::linger;
    connection.deadline = now() + linger_for;
    std::string().swap(connection.input);
  }
  return true;
}

void HttpServerCore::await_request(Connection& connection) {
  connection.stage = Stage::idle;
  connection.head_only = false;
  connection.route = nullptr;
  connection.pattern.clear();
  connection.deadline = now() + config_.limits.idle_for;
}

// Closing early would reset the connection, and the client might not see the answer.
bool HttpServerCore::linger(Connection& connection) {
  using State = net::ByteStream::State;
  if (connection.stream->holds_output()) static_cast<void>(connection.stream->push());
  const net::ByteStream::Transfer in = connection.ended
                                           ? net::ByteStream::Transfer{0, State::closed}
                                           : connection.stream->read_some(std::as_writable_bytes(std::span(scratch_)));
  if (in.state == State::would_block) return false;
  connection.discarded += in.bytes;
  if (in.state != State::moved || connection.discarded > most_discarded) set_gone(connection);
  return true;
}

void HttpServerCore::settle(Connection& connection) {
  const std::uint64_t id = connection.id;
  if (connection.stage == Stage::gone) return erase(connection);
  weigh(connection);
  if (held_ > config_.limits.most_held_bytes) {
    relieve();
    if (!connections_.contains(id)) return;
  }
  const bool ahead = connection.input.size() < config_.limits.longest_header;
  const bool reading =
      !connection.ended && connection.stage != Stage::writing && (connection.stage != Stage::working || ahead);
  const bool writing = !connection.out.empty() || connection.stream->holds_output();
  net::Waitable wanted = connection.stream->wait_for(reading, writing);
  if (connection.again) wanted.ready_at = Time{};
  wake_by(connection.deadline);
  connection.wait.wait(wanted);
}

}  // namespace sotto::apps
