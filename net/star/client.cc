#include "net/star/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "net/star/message.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::chrono::seconds greet_within{10};

}  // namespace

ServiceClient::ServiceClient(Io* io, ClientConfig config)
    : own_io_(io == nullptr ? std::make_unique<Io>() : nullptr),
      io_(io == nullptr ? *own_io_ : *io),
      config_(std::move(config)),
      guard_(ServiceGuard::of_client(config_.trust)),
      connector_(io_, config_.service),
      peer_(fmt::format("the {} at {}", config_.name, config_.service.text())),
      give_up_(Clock::now() + config_.retry_for) {}

void ServiceClient::advance() {
  if (!link_) try_to_connect();
  if (!link_) return;
  link_->flush();
  if (!greeted_) hear_greeting();
}

void ServiceClient::try_to_connect() {
  if (Clock::now() >= give_up_) {
    const std::string& why = connector_.last_failure();
    if (connector_.out_of_descriptors()) {
      throw ResourceError(fmt::format("{} cannot be reached: {}; raise ulimit -n", peer_, why));
    }
    throw NetworkError(peer_, fmt::format("{} cannot be reached: {}; start it, and check its address and port", peer_,
                                          why.empty() ? "no answer" : why));
  }
  if (own_io_) own_io_->poll();
  std::unique_ptr<ByteStream> stream = connector_.take();
  if (!stream) return;
  link_ = std::make_unique<MessageLink>(guard_.wrap(std::move(stream)));
  wait_.emplace(io_, [] {});
  link_->post(encode(Greeting{service_version, config_.name}));
  greet_by_ = Clock::now() + greet_within;
}

void ServiceClient::attempt_failed(const std::string& why) {
  wait_.reset();
  link_.reset();
  connector_.failed(why);
}

void ServiceClient::hear_greeting() {
  const std::optional<Message> message = link_->next();
  if (!message) {
    if (!link_->fault().empty()) throw_malformed(link_->fault());
    if (link_->refused()) throw TrustError(peer_, fmt::format("{}: {}", peer_, link_->loss()));
    if (link_->ended() || link_->lost()) {
      const std::string why = link_->loss();
      attempt_failed(why.empty() ? "it closed the connection without a word" : why);
    } else if (Clock::now() >= greet_by_) {
      attempt_failed("it does not greet: another program holds that port");
    }
    return;
  }
  if (const auto word = decode_close_reason(*message)) throw_closed(*word, peer_);
  const std::optional<Greeting> theirs = decode_greeting(*message);
  if (!theirs) throw_malformed("what is no greeting");
  if (const auto why = difference(Greeting{service_version, config_.name}, *theirs, config_.service.text())) {
    throw DisagreementError(*why);
  }
  greeted_ = true;
  link_->allow(config_.longest_message);
  for (Message& waiting : std::exchange(waiting_, {})) link_->post(std::move(waiting));
  waiting_bytes_ = 0;
  link_->flush();
}

void ServiceClient::add(Message message) {
  if (message.type >= first_own_type) throw std::invalid_argument("a type of the service's own");
  if (greeted_) {
    link_->post(std::move(message));
  } else {
    waiting_bytes_ += message_head_bytes + message.payload.size();
    waiting_.push_back(std::move(message));
  }
}

std::optional<Message> ServiceClient::read_message() {
  if (!greeted_) return std::nullopt;
  std::optional<Message> message = link_->next();
  if (!message) {
    if (!link_->fault().empty()) throw_malformed(link_->fault());
    if (link_->ended() || link_->lost()) throw_end();
    return std::nullopt;
  }
  if (message->type < first_own_type) return message;
  if (const auto word = decode_close_reason(*message)) throw_closed(*word, peer_);
  throw_malformed("a second greeting");
}

void ServiceClient::read_ahead() {
  while (inbox_bytes_ <= config_.most_queued_bytes) {
    std::optional<Message> message = read_message();
    if (!message) return;
    inbox_bytes_ += message_head_bytes + message->payload.size();
    inbox_.push_back(std::move(*message));
  }
}

std::optional<Message> ServiceClient::next() {
  if (inbox_.empty()) return read_message();
  Message message = std::move(inbox_.front());
  inbox_.pop_front();
  inbox_bytes_ -= message_head_bytes + message.payload.size();
  return message;
}

bool ServiceClient::heard_out() {
  link_->flush();
  inbox_.clear();
  inbox_bytes_ = 0;
  try {
    while (read_message()) continue;
  } catch (const NetworkError&) {
    if (link_->ended() && !link_->lost()) return true;
    throw;
  }
  return false;
}

void ServiceClient::throw_end() const {
  const std::string why = link_->loss();
  throw NetworkError(peer_, fmt::format("{} was lost: {}", peer_, why.empty() ? "it closed the connection" : why));
}

void ServiceClient::throw_malformed(const std::string& what) const {
  throw ProtocolError(ProtocolError::Kind::malformed, peer_, 0,
                      fmt::format("{} sent {}: another program holds that port, or the link is damaged", peer_, what));
}

void ServiceClient::start_wait() {
  if (!link_) return;  // the connector itself waits for the connection
  Waitable wanted = link_->wait_for(inbox_bytes_ <= config_.most_queued_bytes);
  if (!inbox_.empty()) wanted.ready_at = Clock::time_point{};
  if (!greeted_) wanted.ready_at = std::min(wanted.ready_at, greet_by_);
  wait_->wait(wanted);
}

void ServiceClient::wait(Clock::time_point until, const std::atomic<bool>& interrupted) {
  if (interrupted) throw Interrupted();
  start_wait();
  const std::chrono::nanoseconds left = until - Clock::now();
  io_.run_for(std::min<std::chrono::nanoseconds>(left, longest_uninterrupted));
}

void ServiceClient::make_progress() {
  advance();
  read_ahead();
  start_wait();
}

void ServiceClient::connect(const std::atomic<bool>& interrupted) {
  for (advance(); !greeted_; advance()) {
    wait(Clock::time_point::max(), interrupted);
  }
}

void ServiceClient::send(Message message, const std::atomic<bool>& interrupted) {
  add(std::move(message));
  advance();
  Clock::time_point last = Clock::now();
  for (std::uint64_t before = moved(); queued() > config_.most_queued_bytes;) {
    wait(last + config_.longest_stall, interrupted);
    advance();
    read_ahead();
    const Clock::time_point now = Clock::now();
    if (!greeted_ || moved() != before) {
      before = moved();
      last = now;
    } else if (now - last >= config_.longest_stall) {
      throw NetworkError(peer_, fmt::format("{} has taken nothing of what is sent to it for {} s", peer_,
                                            config_.longest_stall.count() / 1000));
    }
  }
}

bool ServiceClient::flush(Clock::time_point deadline, const std::atomic<bool>& interrupted) {
  for (advance(); sending(); advance()) {
    if (Clock::now() >= deadline) return false;
    wait(deadline, interrupted);
    read_ahead();
  }
  return true;
}

std::optional<Message> ServiceClient::receive(Clock::time_point deadline, const std::atomic<bool>& interrupted) {
  for (;;) {
    advance();
    std::optional<Message> message = next();
    if (message) return message;
    if (Clock::now() >= deadline) {
      start_wait();
      return std::nullopt;
    }
    wait(deadline, interrupted);
  }
}

Message ServiceClient::ask(Message message, Clock::time_point deadline, const std::atomic<bool>& interrupted) {
  send(std::move(message), interrupted);
  std::optional<Message> answer = receive(deadline, interrupted);
  if (!answer) throw NetworkError(peer_, fmt::format("{} does not answer", peer_));
  return std::move(*answer);
}

bool ServiceClient::finish(Clock::time_point deadline, const std::atomic<bool>& interrupted) {
  if (!flush(deadline, interrupted)) return false;
  link_->end_writing();
  while (!heard_out()) {
    if (Clock::now() >= deadline) return false;
    wait(deadline, interrupted);
  }
  return true;
}

}  // namespace sotto::net
