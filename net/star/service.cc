#include "net/star/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

using std::chrono::milliseconds;
constexpr int most_messages_at_once = 256;  // of one client
constexpr std::size_t queues_before_cut = 16;

TcpListener listener_of(const ServiceConfig& config) {
  return config.descriptor ? TcpListener(*config.descriptor) : TcpListener(config.listen);
}

ServiceConfig checked(ServiceConfig config) {
  if (config.name.empty() || config.name != printable(config.name, longest_service_name)) {
    throw std::invalid_argument("the name of a service has 1 to 64 printable characters");
  }
  if (config.most_connections == 0) throw std::invalid_argument("a service without connections");
  return config;
}

}  // namespace

Service::Service(Io* io, ServiceConfig config)
    : own_io_(io == nullptr ? std::make_unique<Io>() : nullptr),
      io_(io == nullptr ? *own_io_ : *io),
      config_(checked(std::move(config))),
      guard_(ServiceGuard::of_service(config_.trust)),
      listener_(listener_of(config_)),
      most_connections_(connections_within_limit(config_.most_connections)) {}

void Service::run(ServiceHandler& handler, const std::atomic<bool>& interrupted) {
  handler_ = &handler;
  listener_.accept_on(io_, [this](std::optional<TcpListener::Accepted> accepted, const std::string& failure) {
    if (accepted) accepted_.push_back(std::move(*accepted));
    accept_failure_ = failure;
  });
  last_look_ = Clock::now();
  Clock::time_point next_tick{};
  try {
    while (!handler.done()) {
      if (interrupted) throw Interrupted();
      turn(next_tick == Clock::time_point::max() ? Clock::duration::max() : next_tick - Clock::now());
      notify(handler);
      next_tick = handler.tick();
      look_at_deadlines();
      notify(handler);
      settle_all();
      erase_gone();
    }
  } catch (const Interrupted&) {
    end_all(CloseReason{ExitCode::peer_lost, fmt::format("the {} was interrupted", config_.name)}, close_within,
            never_interrupted);
    throw;
  } catch (...) {
    end_all(CloseReason{ExitCode::peer_lost, fmt::format("the {} has failed, its own output says why", config_.name)},
            close_within, never_interrupted);
    throw;
  }
  end_all({}, config_.drain_for, interrupted);
}

// The handlers of `io_` only note events, because another caller may run `io_`.
void Service::turn(std::chrono::nanoseconds at_most) {
  if (!ready_.empty()) at_most = std::chrono::nanoseconds(0);
  io_.run_for(std::min<std::chrono::nanoseconds>(at_most, longest_uninterrupted));
  take_accepted();
  for (const PeerId peer : std::exchange(ready_, {})) serve(peer);
}

void Service::take_accepted() {
  for (TcpListener::Accepted& accepted : std::exchange(accepted_, {})) {
    if (handler_ != nullptr) accept(std::move(accepted));
  }
  const std::string failure = std::exchange(accept_failure_, "");
  if (!failure.empty() && handler_ != nullptr && !make_room("")) {
    refused_.emplace_back("somebody", fmt::format("a connection to {} cannot be accepted: {}; raise ulimit -n",
                                                  address().text(), failure));
  }
}

void Service::accept(TcpListener::Accepted accepted) {
  if (connections_.size() >= most_connections_ && !make_room(accepted.network)) {
    refused_.emplace_back(accepted.from, fmt::format("{} others are connected, no more are taken", most_connections_));
    return;
  }
  const PeerId id = ++last_id_;
  auto connection = std::make_unique<Connection>(Connection{id, std::move(accepted.from), std::move(accepted.network),
                                                            MessageLink(guard_.wrap(std::move(accepted.stream))),
                                                            Wait(io_, [this, id] { ready_.push_back(id); })});
  connection->deadline = Clock::now() + config_.greet_within;
  touch(*connections_.emplace(id, std::move(connection)).first->second);
}

void Service::touch(Connection& connection) {
  if (std::exchange(connection.touched, true)) return;
  touched_.push_back(connection.id);
}

void Service::serve(PeerId peer) {
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  touch(connection);
  if (connection.stage == Stage::greeting || connection.stage == Stage::open) {
    read(connection);
  } else {
    continue_closing(connection);
  }
  weigh(connection);
  if (held_ > config_.most_held_bytes) relieve();
}

void Service::read(Connection& connection) {
  MessageLink& link = connection.link;
  link.flush();
  for (int i = 0; i < most_messages_at_once; ++i) {
    if (link.queued() > config_.most_queued_bytes) return;  // the client must first read its answers
    std::optional<Message> message = link.next();
    if (!message) break;
    connection.held_since = Clock::now();
    take(connection, std::move(*message));
    if (connection.stage != Stage::greeting && connection.stage != Stage::open) return;
  }
  if (!link.fault().empty()) {
    refuse(connection, ExitCode::protocol_violation, "it sent " + link.fault());
  } else if (link.lost() || link.ended()) {
    end(connection, link.loss(), config_.drain_for);
  }
}

void Service::take(Connection& connection, Message&& message) {
  try {
    if (message.type >= first_own_type) {
      take_own(connection, message);
    } else {
      connection.spoke = true;
      connection.spoke_at = Clock::now();
      handler_->received(connection.id, std::move(message));
    }
  } catch (const ProtocolError& error) {
    refuse(connection, ExitCode::protocol_violation, error.what());
  } catch (const TrustError& error) {
    refuse(connection, ExitCode::not_trusted, error.what());
  }
}

void Service::take_own(Connection& connection, const Message& message) {
  if (connection.stage == Stage::greeting) return greet(connection, message);
  const std::optional<CloseReason> word = decode_close_reason(message);
  if (!word) return refuse(connection, ExitCode::protocol_violation, "it greeted twice");
  end(connection, fmt::format("it says: {}", word->text), config_.drain_for);
}

void Service::greet(Connection& connection, const Message& message) {
  MessageLink& link = connection.link;
  const std::optional<Greeting> theirs = decode_greeting(message);
  if (!theirs) return refuse(connection, ExitCode::protocol_violation, "it sent what is no greeting");
  if (const auto why = guard_.objection(link.peer_fingerprint())) {
    return refuse(connection, ExitCode::not_trusted, *why);
  }
  const Greeting mine{service_version, config_.name};
  link.post(encode(mine));
  if (const auto why = difference(mine, *theirs, "the client")) return refuse(connection, ExitCode::disagreement, *why);
  link.allow(config_.longest_message);
  connection.pinned = guard_.pins(link.peer_fingerprint());
  connection.stage = Stage::open;
  connection.arrived = true;
  connection.moved_at = Clock::now();
  ++clients_;
  handler_->arrived(connection.id);
}

void Service::notify(ServiceHandler& handler) {
  while (!leaving_.empty() || !refused_.empty()) {
    for (const auto& [peer, why] : std::exchange(leaving_, {})) handler.left(peer, why);
    for (const auto& [from, why] : std::exchange(refused_, {})) handler.refused(from, why);
  }
}

void Service::settle_all() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const auto found = connections_.find(touched_[i]);
    if (found == connections_.end()) continue;
    found->second->touched = false;
    settle(*found->second);
  }
  touched_.clear();
}

void Service::settle(Connection& connection) {
  if (connection.stage == Stage::gone) return;
  MessageLink& link = connection.link;
  link.flush();
  weigh(connection);
  const bool ending = connection.stage == Stage::ending || connection.stage == Stage::lingering;
  const bool reading = ending || link.queued() <= config_.most_queued_bytes;
  const Waitable wanted = link.wait_for(reading);
  if (link.lost() || wanted.ready_at <= Clock::now()) {
    ready_.push_back(connection.id);
  } else {
    connection.wait.wait(wanted);
  }
}

void Service::send(PeerId peer, Message message) {
  Connection* const connection = to_send_to(peer, message);
  if (connection != nullptr) connection->link.post(std::move(message));
}

void Service::send(PeerId peer, std::shared_ptr<const Message> message) {
  Connection* const connection = to_send_to(peer, *message);
  if (connection != nullptr) connection->link.post(std::move(message));
}

Service::Connection* Service::to_send_to(PeerId peer, const Message& message) {
  if (message.type >= first_own_type) throw std::invalid_argument("a type of the service's own");
  if (message.payload.size() > config_.longest_message) {
    throw std::invalid_argument("a message is longer than the service's longest");
  }
  const auto found = connections_.find(peer);
  if (found == connections_.end() || found->second->stage != Stage::open) return nullptr;
  Connection& connection = *found->second;
  if (connection.link.queued() > queues_before_cut * config_.most_queued_bytes) {
    cut(connection, "it does not take what is sent to it");
    return nullptr;
  }
  touch(connection);
  return &connection;
}

void Service::drop(PeerId peer, const std::string& why) {
  const auto found = connections_.find(peer);
  if (found == connections_.end() || found->second->stage != Stage::open) return;
  found->second->link.post(encode(CloseReason{ExitCode::peer_lost, why}));
  end(*found->second, why, config_.drain_for);
}

const Service::Connection* Service::find(PeerId peer) const {
  const auto found = connections_.find(peer);
  return found == connections_.end() ? nullptr : found->second.get();
}

std::size_t Service::queued(PeerId peer) const {
  const Connection* const found = find(peer);
  return found == nullptr ? 0 : found->link.queued();
}

std::string Service::fingerprint(PeerId peer) const {
  const Connection* const found = find(peer);
  return found == nullptr ? "" : found->link.peer_fingerprint();
}

std::string Service::from(PeerId peer) const {
  const Connection* const found = find(peer);
  return found == nullptr ? "" : found->from;
}

}  // namespace sotto::net
