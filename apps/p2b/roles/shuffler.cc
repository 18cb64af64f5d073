#include "sotto/apps/p2b/roles/shuffler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void malformed_agent(const char* what) {
  throw ProtocolError(ProtocolError::Kind::malformed, "an agent", 0, what);
}

// "3 codes outside 0..7, 1 second report of a user"; empty where nothing was refused.
std::string refused_line(const Receipt& receipt, const Taken& taken, const P2bTerms& terms) {
  std::string line;
  const auto add = [&](std::uint32_t count, const std::string& what) {
    if (count == 0) return;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, what);
  };
  add(receipt.bad_code, fmt::format("with a code outside 0..{}", terms.codes - 1));
  add(receipt.bad_arm, fmt::format("with an arm outside 0..{}", terms.arms - 1));
  add(receipt.bad_reward, "with a reward outside 0..1");
  add(taken.second, "of a user that has reported already");
  return line;
}

}  // namespace

ShufflerRole::ShufflerRole(net::Service& service, ReportQueue& queue, Delivery* delivery, SaidLines& lines,
                           std::optional<Tick> ends_at, std::uint64_t until,
                           std::function<void(const ClosedBatch&)> batch_line)
    : service_(service),
      queue_(queue),
      delivery_(delivery),
      lines_(lines),
      ends_at_(ends_at),
      until_(until),
      batch_line_(std::move(batch_line)),
      reports_(queue.counts().reports) {}

void ShufflerRole::received(net::PeerId peer, net::Message&& message) {
  if (message.type == number_of(P2bMessage::terms)) {
    if (!message.payload.empty()) malformed_agent("a question for the terms that is not empty");
    service_.send(peer, {number_of(P2bMessage::terms), encode(queue_.terms())});
  } else if (message.type == number_of(P2bMessage::reports)) {
    stage(peer, message.payload);
  } else {
    malformed_agent("it sent what is no message of an agent");
  }
}

void ShufflerRole::stage(net::PeerId peer, PayloadView payload) {
  incoming_.clear();
  const auto of_message = decode_reports(payload, incoming_);
  if (!of_message) malformed_agent("it sent reports of another length");
  Waiting waiting{peer, {}};
  waiting.receipt.number = *of_message;
  for (const Report& report : incoming_) {
    switch (fault_of(report.tuple, queue_.terms())) {
      case TupleFault::none:
        staged_.push_back(report);
        ++waiting.receipt.taken;
        break;
      case TupleFault::code:
        ++waiting.receipt.bad_code;
        break;
      case TupleFault::arm:
        ++waiting.receipt.bad_arm;
        break;
      case TupleFault::reward:
        ++waiting.receipt.bad_reward;
        break;
    }
  }
  ends_.push_back(staged_.size());
  waiting_.push_back(waiting);
  // Messages without reports are held too.
  if (staged_.size() + ends_.size() >= most_staged) commit();
}

void ShufflerRole::commit() {
  if (ends_.empty()) return;
  const std::vector<Taken> taken = queue_.take(staged_, ends_);
  for (std::size_t m = 0; m < taken.size(); ++m) {
    const Waiting& waiting = waiting_[m];
    count(waiting.receipt, taken[m]);
    service_.send(waiting.peer, {number_of(P2bMessage::receipt), encode(waiting.receipt)});
  }
  staged_.clear();
  ends_.clear();
  waiting_.clear();
  say_batches();
}

void ShufflerRole::say_batches() {
  for (const ClosedBatch& batch : queue_.take_closed()) batch_line_(batch);
}

void ShufflerRole::count(const Receipt& receipt, const Taken& taken) {
  reports_ += taken.counted;
  refused_.repeated += taken.repeated;
  refused_.second += taken.second;
  refused_.bad_code += receipt.bad_code;
  refused_.bad_arm += receipt.bad_arm;
  refused_.bad_reward += receipt.bad_reward;
  const std::string line = refused_line(receipt, taken, queue_.terms());
  if (!line.empty()) lines_.say(fmt::format("dropped reports: {}", line));
}

void ShufflerRole::left(net::PeerId peer, const std::string& why) {
  if (why.empty()) return;
  ++refused_.malformed;
  lines_.say(fmt::format("{}: {}", service_.from(peer), why));
}

void ShufflerRole::refused(const std::string& from, const std::string& why) {
  lines_.say(fmt::format("{}: {}", from, why));
}

net::Clock::time_point ShufflerRole::tick() {
  commit();
  queue_.close_due();
  say_batches();
  if (delivery_ != nullptr) delivery_->go_on();
  // The wall clock may be set in the meantime.
  const auto left = queue_.closes_at() - queue_.clock().now();
  return net::Clock::now() + std::clamp<BatchClock::Time::duration>(left, 1ms, 1s);
}

bool ShufflerRole::done() const {
  return (ends_at_ && queue_.closes_at() > *ends_at_) || (until_ > 0 && reports_ >= until_);
}

}  // namespace sotto::apps
