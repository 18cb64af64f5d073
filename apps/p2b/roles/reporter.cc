#include "sotto/apps/p2b/roles/reporter.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// For a shuffler that is connected and says nothing, as one that stands still does.
constexpr std::chrono::seconds answers_within{60};

[[noreturn]] void not_from_shuffler() {
  throw ProtocolError(ProtocolError::Kind::malformed, "p2b shuffler", 0,
                      "the p2b shuffler answered what is no answer: it is another program or another version");
}

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
      // Only a connection that was there is made again: the client itself has tried for long.
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
  if (answer.type != number_of(P2bMessage::terms)) not_from_shuffler();
  const auto terms = decode_p2b_terms(answer.payload);
  if (!terms) not_from_shuffler();
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
  // A new connection sends all of sent_ by itself.
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
    // A shuffler that has ended after its last receipt is no loss.
    while (!sent_.empty()) {
      const auto message = client_->receive(net::Clock::time_point{}, interrupted_);
      if (!message) break;
      take(*message);
    }
  });
}

void Reporter::take(const net::Message& message) {
  if (message.type != number_of(P2bMessage::receipt)) not_from_shuffler();
  const auto receipt = decode_receipt(message.payload);
  if (!receipt || sent_.empty() || receipt->number != sent_.front().number) not_from_shuffler();
  const std::uint64_t invalid = std::uint64_t{receipt->bad_code} + receipt->bad_arm + receipt->bad_reward;
  if (receipt->taken + invalid != sent_.front().reports) not_from_shuffler();
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
    // There is a receipt for everything: a shuffler that has ended is none the worse.
  }
  client_.reset();
}

}  // namespace sotto::apps
