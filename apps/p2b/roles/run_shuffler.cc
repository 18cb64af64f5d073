#include "apps/p2b/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void malformed_agent(const char* what) {
  throw ProtocolError(ProtocolError::Kind::malformed, "an agent", 0, what);
}

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

// The key of the marks is derived from the shuffler's own key. A thief of the queue alone therefore cannot compute the
// mark of a token.
Seed marks_key(const net::ServiceTrust& trust) {
  if (trust.plaintext) return Seed::insecure_from_number(0);
  if (!trust.identity) {
    throw InputError("--key", "give the shuffler's key: `sotto keys new --out shuffler.pem` makes one");
  }
  std::array<std::byte, Seed::size> bytes{};
  trust.identity->derive("sotto p2b: marks of users", bytes);
  Seed seed = Seed::from_bytes(bytes);
  bytes.fill({});
  return seed;
}

void check_shuffler(const ShufflerSettings& settings) {
  if (const std::string fault = fault_of(settings.terms); !fault.empty()) throw InputError(fault);
  if (settings.period < 1 || settings.period > std::uint64_t{longest_period.count()}) {
    throw InputError("--period",
                     fmt::format("{} s; expected 1 s to 30 days, {} s", settings.period, longest_period.count()));
  }
  if (settings.most_waiting < settings.terms.threshold || settings.most_waiting > largest_batch) {
    throw InputError("--most-waiting",
                     fmt::format("{}; expected at least the threshold, {}, and {} at most",
                                 grouped(settings.most_waiting, "report"), settings.terms.threshold, largest_batch));
  }
  if (settings.release && !settings.server) {
    throw InputError("--release", "say which server takes the batch, with --server");
  }
}

// An agent may use any key unless the settings name the agents' keys. So a connection does not reveal who sends a
// report.
net::ServiceConfig service_of_agents(net::ServiceConfig config) {
  config.name = p2b_shuffler_name;
  config.longest_message = longest_report_message;
  config.most_held_bytes = std::size_t{64} << 20;
  if (!config.trust.plaintext && config.trust.trusted.empty()) config.trust.anyone = true;
  return config;
}

void await_tick(ReportQueue& queue, const std::atomic<bool>& interrupted) {
  while (queue.waiting() > 0) {
    if (interrupted) throw Interrupted();
    queue.close_due();
    net::Waitable pause;
    pause.ready_at = net::Clock::now() + (queue.closes_at() - queue.clock().now());
    if (queue.waiting() > 0) net::wait_any(std::array{pause}, net::longest_uninterrupted);
  }
}

// The shuffler acknowledges reports after they are on the disk.
//
// The shuffler immediately forgets the agent's address and key, the time and order of the reports, and which reports
// came in one message. The shuffler remembers that a user has reported, but separately from the report. The lines that
// the shuffler writes never contain a user's token or a tuple.
//
// The role drops and counts four kinds of reports: a code outside 0..k-1, an arm outside 0..K-1, a reward outside 0..1
// and a second report of a user.
class ShufflerRole : public net::ServiceHandler {
 public:
  ShufflerRole(net::Service& service, ReportQueue& queue, Delivery* delivery, RateLimitedLines& lines,
               std::optional<Tick> ends_at, std::uint64_t until, std::function<void(const ClosedBatch&)> batch_line)
      : service_(service),
        queue_(queue),
        delivery_(delivery),
        lines_(lines),
        ends_at_(ends_at),
        until_(until),
        batch_line_(std::move(batch_line)),
        reports_(queue.counts().reports) {}

  void received(net::PeerId peer, net::Message&& message) override {
    if (message.type == number_of(P2bMessage::terms)) {
      if (!message.payload.empty()) malformed_agent("a question for the terms that is not empty");
      service_.send(peer, {number_of(P2bMessage::terms), encode(queue_.terms())});
    } else if (message.type == number_of(P2bMessage::reports)) {
      stage(peer, message.payload);
    } else {
      malformed_agent("it sent what is no message of an agent");
    }
  }
  void left(net::PeerId peer, const std::string& why) override {
    if (why.empty()) return;
    ++refused_.malformed;
    lines_.say(fmt::format("{}: {}", service_.from(peer), why));
  }
  void refused(const std::string& from, const std::string& why) override {
    lines_.say(fmt::format("{}: {}", from, why));
  }
  net::Clock::time_point tick() override {
    commit();
    queue_.close_due();
    say_batches();
    if (delivery_ != nullptr) delivery_->proceed();
    // This function computes the time again at each call, because the user may have set the wall clock.
    const auto left = queue_.closes_at() - queue_.clock().now();
    return net::Clock::now() + std::clamp<BatchClock::Time::duration>(left, 1ms, 1s);
  }
  [[nodiscard]] bool done() const override {
    return (ends_at_ && queue_.closes_at() > *ends_at_) || (until_ > 0 && reports_ >= until_);
  }

  [[nodiscard]] const RefusedReports& refused_reports() const noexcept { return refused_; }

 private:
  struct Waiting {
    net::PeerId peer;
    Receipt receipt;
  };
  void stage(net::PeerId peer, PayloadView payload) {
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
    if (staged_.size() + ends_.size() >= most_staged) commit();
  }
  void commit() {
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
  void say_batches() {
    for (const ClosedBatch& batch : queue_.take_closed()) batch_line_(batch);
  }
  void count(const Receipt& receipt, const Taken& taken) {
    reports_ += taken.counted;
    refused_.repeated += taken.repeated;
    refused_.second += taken.second;
    refused_.bad_code += receipt.bad_code;
    refused_.bad_arm += receipt.bad_arm;
    refused_.bad_reward += receipt.bad_reward;
    const std::string line = refused_line(receipt, taken, queue_.terms());
    if (!line.empty()) lines_.say(fmt::format("dropped reports: {}", line));
  }

  net::Service& service_;
  ReportQueue& queue_;
  Delivery* delivery_;
  RateLimitedLines& lines_;
  std::optional<Tick> ends_at_;
  std::uint64_t until_;
  std::function<void(const ClosedBatch&)> batch_line_;
  std::uint64_t reports_ = 0;
  std::vector<Report> staged_;
  std::vector<std::size_t> ends_;
  std::vector<Waiting> waiting_;
  std::vector<Report> incoming_;
  RefusedReports refused_;
};

}  // namespace

ShufflerReport run_shuffler(ShufflerSettings settings, const ShufflerEvents& events,
                            const std::atomic<bool>& interrupted) {
  check_shuffler(settings);
  RateLimitedLines lines(events.line);
  const BatchClock clock(std::chrono::seconds(settings.period), settings.now);
  ReportQueue queue(settings.queue, settings.terms, {clock, settings.most_waiting}, marks_key(settings.service.trust),
                    Coins::from_os());
  net::Io io;
  std::unique_ptr<Delivery> delivery;
  if (settings.server) {
    settings.server->name = p2b_server_name;
    delivery = std::make_unique<Delivery>(io, *settings.server, queue, lines);
  }
  const auto say_batches = [&] {
    for (const ClosedBatch& batch : queue.take_closed()) events.batch(batch);
  };
  say_batches();

  ShufflerReport report("shuffler", settings.terms, settings.service.trust.plaintext);
  bool at_end = settings.release;
  if (settings.release) {
    await_tick(queue, interrupted);
    say_batches();
  } else {
    std::optional<Tick> ends_at;
    if (settings.periods > 0) {
      ends_at = queue.closes_at() + static_cast<std::int64_t>(settings.periods - 1) * clock.period();
    }
    net::Service service(io, service_of_agents(settings.service));
    ShufflerRole role(service, queue, delivery.get(), lines, ends_at, settings.until, events.batch);
    events.listening(service.address());
    try {
      service.run(role, interrupted);
      at_end = true;
    } catch (const Interrupted&) {
      // The normal end: the queue contains every acknowledged report.
    }
    report.refused = role.refused_reports();
  }
  if (at_end && delivery) delivery->deliver_all(interrupted);
  if (delivery) delivery->end();
  report.counts = queue.counts();
  return report;
}

std::string batch_text(const ClosedBatch& batch) {
  const std::string begin =
      fmt::format("batch of {}: {}, ", tick_text(batch.closed_at), grouped(batch.received, "report"));
  if (batch.overfull) return begin + "more than --most-waiting allows: none is released";
  return fmt::format("{}{} released; {} dropped, with {}", begin, grouped(batch.kept), grouped(batch.dropped),
                     grouped(batch.codes_dropped, "code"));
}

std::string summary_text(const ShufflerReport& report, const TextOptions& options) {
  const QueueCounts& c = report.counts;
  SummaryLines out(options.colour);
  out.title(
      fmt::format("P2B shuffler: {}, {}", grouped(report.terms.codes, "code"), grouped(report.terms.arms, "arm")));
  out.row("reports", grouped(c.reports), "one a user, since the queue was made");
  out.row("batches", grouped(c.batches), "closed, that had a report");
  out.row("released", grouped(c.kept), "shuffled");
  out.row("dropped", grouped(c.dropped),
          fmt::format("with {} that fewer than {} of a batch had", grouped(c.codes_dropped, "code"),
                      report.terms.threshold));
  out.row("waiting", grouped(c.waiting), "for the next tick");
  if (c.parts_to_deliver > 0) {
    out.row("undelivered", grouped(c.parts_to_deliver), "parts of batches, for the server");
  }
  const RefusedReports& r = report.refused;
  if (r.second > 0) out.row("refused", grouped(r.second), "of users that had reported already");
  if (r.repeated > 0) out.row("repeated", grouped(r.repeated), "sent again, counted once");
  if (r.bad_code > 0) out.row("bad codes", grouped(r.bad_code), "dropped");
  if (r.bad_arm > 0) out.row("bad arms", grouped(r.bad_arm), "dropped");
  if (r.bad_reward > 0) out.row("bad rewards", grouped(r.bad_reward), "dropped");
  if (r.malformed > 0) out.row("connections", grouped(r.malformed), "ended out of order");
  add_privacy(out, report.terms);
  out.warning(
      "NOT TO PUBLISH: all numbers above except released, epsilon and delta. Delta does not hold against anybody who "
      "learns how many came or were dropped.");
  out.insecure(report.insecure);
  return out.text();
}

std::vector<std::string> shuffler_secrets() {
  return {"received", "dropped",        "codes_dropped", "batches",     "waiting",
          "repeated", "refused_second", "refused_code",  "refused_arm", "refused_reward"};
}

}  // namespace sotto::apps::p2b
