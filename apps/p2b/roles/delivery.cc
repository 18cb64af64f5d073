#include "sotto/apps/p2b/roles/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

using std::chrono::milliseconds;

// After a server that was lost; finding none takes the client's own pauses.
constexpr milliseconds retry_after{500};
constexpr milliseconds delivery_ends_within{2000};

[[noreturn]] void not_from_server() {
  throw ProtocolError(ProtocolError::Kind::malformed, p2b_server_name, 0,
                      "the p2b server answered what is no answer: it is another program or another version");
}

}  // namespace

Delivery::Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, SaidLines& lines)
    : io_(io), config_(std::move(server)), queue_(queue), lines_(lines) {}

void Delivery::go_on() {
  try {
    advance();
  } catch (const TrustError& error) {
    // Whoever sits on the way can show another certificate, and a server may be told later whom it trusts; agents are
    // served all the same.
    lose(error.what());
  }
}

void Delivery::advance() {
  if (queue_.parts_to_deliver() == 0 && !client_) return;
  if (!client_ && net::Clock::now() < retry_at_) return;
  try {
    step();
  } catch (const NetworkError& error) {
    lose(error.what());
  }
}

void Delivery::step() {
  if (!client_) waits_ = Waits::connection;
  if (waits_ == Waits::connection) {
    try {
      if (!client_) client_ = std::make_unique<net::ServiceClient>(io_, config_);
      client_->make_progress();
    } catch (const ResourceError& error) {  // agents may hold all descriptors now
      return lose(error.what());
    }
    if (!client_->connected()) return;
    client_->send({number_of(P2bMessage::terms), encode(queue_.terms())});
    waits_ = Waits::terms;
  }
  // One by one: reading ahead would meet the end of the connection before the last answer is heard.
  while (const auto message = client_->receive(net::Clock::time_point{})) hear(*message);
  if (waits_ == Waits::nothing) send_part();
}

void Delivery::hear(const net::Message& message) {
  if (waits_ == Waits::terms && message.type == number_of(P2bMessage::terms)) {
    const auto theirs = decode_p2b_terms(message.payload);
    if (!theirs) not_from_server();
    if (const std::string other = difference(*theirs, queue_.terms()); !other.empty()) {
      throw DisagreementError(fmt::format("the p2b server has {}: start both with the same terms", other));
    }
    waits_ = Waits::nothing;
    told_ = false;  // not before: one that does not trust this shuffler is connected to at each try
  } else if (waits_ == Waits::answer && message.type == number_of(P2bMessage::taken)) {
    const auto taken = decode_part_name(message.payload);
    if (!taken || *taken != sent_) not_from_server();
    queue_.delivered(sent_);
    waits_ = Waits::nothing;
  } else {
    not_from_server();
  }
  if (waits_ == Waits::nothing) send_part();
}

void Delivery::send_part() {
  const auto part = queue_.next_part();
  if (!part) return;
  sent_ = part->name;
  waits_ = Waits::answer;
  client_->send({number_of(P2bMessage::survivors), encode(*part)});
}

void Delivery::lose(const std::string& why) {
  client_.reset();
  last_loss_ = why;
  retry_at_ = net::Clock::now() + retry_after;
  if (queue_.parts_to_deliver() == 0) return;
  if (!std::exchange(told_, true)) {
    lines_.say_always(fmt::format("{}; {} of batches in the queue, to be tried again", why,
                                  counted(queue_.parts_to_deliver(), "part")));
  }
}

void Delivery::deliver_all(const std::atomic<bool>& interrupted) {
  auto give_up = net::Clock::now() + config_.retry_for;
  std::uint64_t left = queue_.parts_to_deliver();
  while (queue_.parts_to_deliver() > 0) {
    if (interrupted) throw Interrupted();
    advance();
    if (queue_.parts_to_deliver() < left) {
      left = queue_.parts_to_deliver();
      give_up = net::Clock::now() + config_.retry_for;
      continue;
    }
    if (net::Clock::now() > give_up) {
      throw NetworkError(p2b_server_name,
                         fmt::format("the p2b server at {} took nothing for {} s ({}): {} of batches left in the "
                                     "queue; start this again when it is there",
                                     config_.service.text(), config_.retry_for.count() / 1000,
                                     last_loss_.empty() ? "it does not answer" : last_loss_, counted(left, "part")));
    }
    const auto pause = client_ ? net::longest_uninterrupted : retry_at_ - net::Clock::now();
    io_.run_for(std::min<std::chrono::nanoseconds>(pause, net::longest_uninterrupted));
  }
}

void Delivery::end() noexcept {
  try {
    if (client_ && client_->connected() && waits_ == Waits::nothing) {
      client_->finish(net::Clock::now() + delivery_ends_within);
    }
  } catch (const std::exception&) {
    // What was not answered stays in the queue.
  }
  client_.reset();
}

}  // namespace sotto::apps
