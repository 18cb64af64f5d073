#include "apps/kit/http/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "apps/kit/http/server_core.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::size_t bytes_of_read = std::size_t{64} << 10;
constexpr std::size_t most_turned_away = 32;

HttpConfig checked_config(HttpConfig config) {
  const auto* const address = std::get_if<net::Address>(&config.listen);
  require_argument(config.limits.most_connections > 0 && config.limits.longest_header >= 1024,
                   "a server has connections, and headers of 1024 bytes and more");
  require_argument(config.limits.longest_header <= std::numeric_limits<std::uint32_t>::max() / 2,
                   "a header is shorter than 2 GiB");
  if (address == nullptr) return config;
  if (!config.token_file) {
    throw InputError("http.token_file", fmt::format("every program of this machine reaches {}: give a file with a "
                                                    "token, or listen on a Unix socket",
                                                    address->text()));
  }
  if (!config.tls && !net::is_loopback(address->host)) {
    throw InputError("http.listen", fmt::format("{} is not on loopback, where the token would be read on the way: set "
                                                "tls = true in [http], or listen on 127.0.0.1 or a Unix socket",
                                                address->text()));
  }
  return config;
}

void check_tokens(const TokenGuard& token, const TokenGuard& reader) {
  if (!reader.is_same_token(token)) return;
  throw InputError("http.reader_token_file",
                   "it has the token of http.token_file, with which everything may be done: make "
                   "another one for those who only read (`openssl rand -hex 32`)");
}

constexpr std::chrono::milliseconds last_words{2'000};

}  // namespace

HttpServerCore::HttpServerCore(net::Io& io, HttpConfig config, Router router)
    : io_(io),
      config_(checked_config(std::move(config))),
      router_(std::move(router)),
      most_connections_(net::connections_within_limit(config_.limits.most_connections)),
      most_lingering_(most_turned_away),
      scratch_(bytes_of_read, '\0'),
      timer_(io, [this] {
        wake_ = Time::max();
        tick();
      }) {
  if (config_.token_file) token_.emplace(*config_.token_file);
  if (config_.reader_token_file) reader_token_.emplace(*config_.reader_token_file);
  if (token_ && reader_token_) check_tokens(*token_, *reader_token_);
  if (config_.tls) {
    tls_.emplace(*config_.tls, std::vector<std::string>{});
    tls_->release_idle_buffers();
    tls_->ask_for_no_certificate();
  }
  if (const auto* const path = std::get_if<UnixPath>(&config_.listen)) {
    if (!path->path.empty()) unix_.emplace(path->path);
  } else {
    tcp_.emplace(std::get<net::Address>(config_.listen));
  }
  address_ = tcp_ ? tcp_->address().text() : unix_ ? "unix:" + unix_->path().string() : "";
}

HttpServerCore::~HttpServerCore() {
  for (const auto& [id, connection] : connections_) {
    if (const auto state = connection->responder.lock()) state->leave(false);
  }
}

void HttpServerCore::start() {
  auto taken = [this](std::optional<net::TcpListener::Accepted> accepted, const std::string&) {
    if (!accepted) return static_cast<void>(make_room(""));
    accept(std::move(accepted->stream), accepted->from, accepted->network);
  };
  if (tcp_) tcp_->accept_on(io_, taken);
  if (unix_) unix_->accept_on(io_, taken);
}

void HttpServerCore::read_token_again() {
  std::optional<TokenGuard> token = token_;
  std::optional<TokenGuard> reader = reader_token_;
  if (token) token->read_again();
  if (reader) reader->read_again();
  if (token && reader) check_tokens(*token, *reader);
  token_ = std::move(token);
  reader_token_ = std::move(reader);
}

void HttpServerCore::accept(std::unique_ptr<net::ByteStream> stream, const std::string& from,
                            const std::string& network) {
  if (stopping_) return;
  const bool room = connections_.size() < most_connections_ || make_room(network);
  if (!room && connections_.size() >= most_connections_ + most_lingering_) return;
  if (tls_) stream = tls_->accept(std::move(stream));
  const std::uint64_t id = ++last_id_;
  // The connection may have ended before the callback runs.
  net::Wait wait(io_, [this, id] {
    const auto found = connections_.find(id);
    if (found != connections_.end()) turn(*found->second);
  });
  auto made = std::make_unique<Connection>(Connection{id, from, network, std::move(stream), std::move(wait)});
  Connection& connection = *connections_.emplace(id, std::move(made)).first->second;
  connection.deadline = now() + config_.limits.header_within;
  wake_by(connection.deadline);
  if (room) return turn(connection);
  refuse(connection, unavailable("too-many-connections", "Too many connections", default_retry_after));
  connection.deadline = now() + config_.limits.header_within;
  turn(connection);
}

bool HttpServerCore::make_room(const std::string& network) {
  struct Group {
    std::vector<Connection*> connections;
    std::vector<std::string_view> networks;
    void add(Connection& connection) {
      connections.push_back(&connection);
      networks.push_back(connection.network);
    }
  };
  Group silent;
  Group idle;
  Group all;
  std::map<std::string_view, std::size_t> counts;
  std::size_t most = 0;
  for (const auto& [id, connection] : connections_) {
    if (connection->in_turn || connection->stage >= Stage::linger) continue;
    all.add(*connection);
    most = std::max(most, ++counts[connection->network]);
    if (connection->spoke) {
      if (connection->stage == Stage::idle) idle.add(*connection);
    } else if (connection->stage == Stage::idle || connection->stage == Stage::head) {
      silent.add(*connection);
    }
  }
  const auto cut = [&](const Group& group) {
    Connection& connection = *group.connections[net::network_to_drop(group.networks)];
    set_gone(connection);
    erase(connection);
    return true;
  };
  if (!silent.connections.empty()) return cut(silent);
  if (!idle.connections.empty()) return cut(idle);
  if (all.connections.empty() || most < counts[network] + 2) return false;
  Connection& connection = *all.connections[net::network_to_drop(all.networks)];
  refuse(connection, unavailable("too-many-connections", "Others of its network or user take too many places",
                                 default_retry_after));
  turn(connection);
  // A refused client may keep its connection until it has received the answer.
  return connections_.size() < most_connections_ + most_lingering_;
}

void HttpServerCore::wake_by(Time time) {
  if (config_.now || time >= wake_) return;
  wake_ = time;
  timer_.wait({-1, false, false, time});
}

HttpServer::HttpServer(net::Io& io, HttpConfig config, Router router)
    : core_(std::make_shared<HttpServerCore>(io, std::move(config), std::move(router))) {
  core_->start();
}

HttpServer::~HttpServer() = default;

std::string HttpServer::address() const { return core_->address(); }
void HttpServer::read_token_again() { core_->read_token_again(); }
void HttpServer::take(std::unique_ptr<net::ByteStream> stream, const std::string& network) {
  core_->accept(std::move(stream), network, network);
}
void HttpServer::stop(std::chrono::milliseconds within) { core_->stop(within); }
bool HttpServer::stopped() const noexcept { return core_->stopped(); }
void HttpServer::tick() { core_->tick(); }
std::size_t HttpServer::connections() const noexcept { return core_->connections(); }
std::size_t HttpServer::requests() const noexcept { return core_->requests(); }
std::size_t HttpServer::held_bytes() const noexcept { return core_->held(); }

Route metrics_route(const Metrics& metrics) {
  Route route;
  route.method = "GET";
  route.pattern = "/metrics";
  route.for_readers = true;
  route.answers = metrics_type;
  route.handler = [&metrics](Request&&, const Responder& responder) {
    responder.answer(Answer::text(metrics.text(), metrics_type));
  };
  return route;
}

template <class Do>
void HttpServerCore::for_each(Do action) {
  // Ending one connection may end other connections.
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

void HttpServerCore::refuse(Connection& connection, const Problem& problem) {
  if (connection.stage >= Stage::writing) return set_gone(connection);
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

void HttpServerCore::client_left(Connection& connection, bool received) {
  if (const auto state = connection.responder.lock()) state->leave(received);
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

// Ends connections until the bytes that all connections hold are within the limit. The connection that has held its
// bytes for the longest time ends first. The bytes of complete requests count, but relieve() cannot free them.
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
