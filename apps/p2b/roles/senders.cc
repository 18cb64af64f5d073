#include "apps/p2b/roles/senders.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

constexpr std::chrono::seconds answers_within{60};

[[noreturn]] void not_from(const char* role) {
  throw ProtocolError(ProtocolError::Kind::malformed, role, 0,
                      fmt::format("the {} answered what is no answer: it is another program or another version", role));
}

using std::chrono::milliseconds;

constexpr milliseconds retry_after{500};
constexpr milliseconds delivery_ends_within{2000};

}  // namespace

Reporter::Reporter(net::ClientConfig shuffler, ReporterSettings settings, const std::atomic<bool>& interrupted)
    : config_(std::move(shuffler)), settings_(settings), interrupted_(interrupted), coins_(Coins::from_os()) {
  if (settings_.window == 0 || settings_.reports_a_message == 0 ||
      settings_.reports_a_message > most_reports_a_message) {
    throw std::invalid_argument("a reporter sends at least a message of at least a report");
  }
}

template <class F>
void Reporter::persist(F what) {
  for (;;) {
    try {
      if (!client_) connect();
      return what();
    } catch (const NetworkError&) {
      if (!client_ || !client_->connected()) throw;
      client_.reset();
    }
  }
}

void Reporter::connect() {
  client_ = std::make_unique<net::ServiceClient>(config_);
  client_->connect(interrupted_);
  if (std::exchange(connected_before_, true)) ++totals_.reconnected;
  const net::Message answer =
      client_->ask({number_of(P2bMessage::terms), {}}, net::Clock::now() + answers_within, interrupted_);
  if (answer.type != number_of(P2bMessage::terms)) not_from(p2b_shuffler_name);
  const auto terms = decode_p2b_terms(answer.payload);
  if (!terms) not_from(p2b_shuffler_name);
  if (terms_ && *terms_ != *terms) {
    throw DisagreementError(
        fmt::format("the p2b shuffler came back with other terms: {}", difference(*terms, *terms_)));
  }
  terms_ = terms;
  for (const Sent& sent : sent_) client_->send(sent.message, interrupted_);
}

const P2bTerms& Reporter::terms() {
  persist([] {});
  return *terms_;
}

void Reporter::add(const UserToken& user, const Tuple& tuple) {
  pending_.push_back({user, coins_.next(), tuple});
  if (pending_.size() == settings_.reports_a_message) send_pending();
}

void Reporter::send_pending() {
  if (pending_.empty()) return;
  wait_until(settings_.window - 1);
  const std::uint64_t of_message = next_number_++;
  sent_.push_back(
      {of_message, {number_of(P2bMessage::reports), encode_reports(of_message, pending_)}, pending_.size()});
  totals_.sent += pending_.size();
  pending_.clear();
  bool there = client_ != nullptr;
  persist([&] {
    if (std::exchange(there, false)) client_->send(sent_.back().message, interrupted_);
  });
}

void Reporter::wait_until(std::size_t in_flight) {
  persist([&] {
    const auto deadline = net::Clock::now() + answers_within;
    while (sent_.size() > in_flight) {
      const auto message = client_->receive(deadline, interrupted_);
      if (!message) {
        throw NetworkError("p2b shuffler",
                           fmt::format("the p2b shuffler at {} does not answer", config_.service.text()));
      }
      take(*message);
    }
    while (!sent_.empty()) {
      const auto message = client_->receive(net::Clock::time_point{}, interrupted_);
      if (!message) break;
      take(*message);
    }
  });
}

void Reporter::take(const net::Message& message) {
  if (message.type != number_of(P2bMessage::receipt)) not_from(p2b_shuffler_name);
  const auto receipt = decode_receipt(message.payload);
  if (!receipt || sent_.empty() || receipt->number != sent_.front().number) not_from(p2b_shuffler_name);
  const std::uint64_t invalid = std::uint64_t{receipt->bad_code} + receipt->bad_arm + receipt->bad_reward;
  if (receipt->taken + invalid != sent_.front().reports) not_from(p2b_shuffler_name);
  totals_.taken += receipt->taken;
  totals_.invalid += invalid;
  sent_.pop_front();
}

void Reporter::finish() {
  send_pending();
  wait_until(0);
  if (!client_) return;
  try {
    client_->finish(net::Clock::now() + goodbye_within, interrupted_);
  } catch (const NetworkError&) {
    // All receipts have arrived, so a lost connection does not matter.
  }
  client_.reset();
}

Delivery::Delivery(net::Io& io, net::ClientConfig server, ReportQueue& queue, RateLimitedLines& lines)
    : io_(io), config_(std::move(server)), queue_(queue), lines_(lines) {}

void Delivery::proceed() {
  try {
    advance();
  } catch (const TrustError& error) {
    // A TrustError does not end the shuffler, which continues to serve agents.
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
    } catch (const ResourceError& error) {  // the connections of agents may have used up all file descriptors
      return lose(error.what());
    }
    if (!client_->connected()) return;
    client_->send({number_of(P2bMessage::terms), encode(queue_.terms())});
    waits_ = Waits::terms;
  }
  // This loop handles each message before it reads the next. Otherwise it would see the end of the connection before it
  // has handled the last answer.
  while (const auto message = client_->receive(net::Clock::time_point{})) receive(*message);
  if (waits_ == Waits::nothing) send_part();
}

void Delivery::receive(const net::Message& message) {
  if (waits_ == Waits::terms && message.type == number_of(P2bMessage::terms)) {
    const auto theirs = decode_p2b_terms(message.payload);
    if (!theirs) not_from(p2b_server_name);
    if (const std::string other = difference(*theirs, queue_.terms()); !other.empty()) {
      throw DisagreementError(fmt::format("the p2b server has {}: start both with the same terms", other));
    }
    waits_ = Waits::nothing;
    // Only an answer resets notified_, because a server that does not trust this shuffler also accepts connections.
    notified_ = false;
  } else if (waits_ == Waits::answer && message.type == number_of(P2bMessage::taken)) {
    const auto taken = decode_part_name(message.payload);
    if (!taken || *taken != sent_) not_from(p2b_server_name);
    queue_.delivered(sent_);
    waits_ = Waits::nothing;
  } else {
    not_from(p2b_server_name);
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
  if (!std::exchange(notified_, true)) {
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
  }
  client_.reset();
}

}  // namespace sotto::apps::p2b
