#include "sotto/apps/p2b/roles/run_shuffler.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "sotto/apps/kit/report/summary_lines.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// The key of the marks of users follows from the shuffler's own, so that who takes the queue alone cannot try tokens.
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

void check(const ShufflerSettings& settings) {
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

// Agents show any key, unless theirs were named: whom a report is of is no matter of the links.
net::ServiceConfig service_of_agents(net::ServiceConfig config) {
  config.name = p2b_shuffler_name;
  config.longest_message = longest_report_message;
  config.most_held_bytes = std::size_t{64} << 20;
  if (!config.trust.plaintext && config.trust.trusted.empty()) config.trust.anyone = true;
  return config;
}

// Hears nobody until the tick of what waits.
void await_tick(ReportQueue& queue, const std::atomic<bool>& interrupted) {
  while (queue.waiting() > 0) {
    if (interrupted) throw Interrupted();
    queue.close_due();
    net::Waitable pause;
    pause.ready_at = net::Clock::now() + (queue.closes_at() - queue.clock().now());
    if (queue.waiting() > 0) net::wait_any(std::array{pause}, net::longest_uninterrupted);
  }
}

}  // namespace

ShufflerReport run_shuffler(ShufflerSettings settings, const ShufflerEvents& events,
                            const std::atomic<bool>& interrupted) {
  check(settings);
  SaidLines lines(events.line);
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
      // Its ordinary end: all that was acknowledged is in the queue.
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
      "NOT TO PUBLISH: all numbers above but released, epsilon and delta. Who learns how many came or were dropped is "
      "not covered by delta.");
  out.insecure(report.insecure);
  return out.text();
}

std::vector<std::string> shuffler_secrets() {
  return {"received", "dropped",        "codes_dropped", "batches",     "waiting",
          "repeated", "refused_second", "refused_code",  "refused_arm", "refused_reward"};
}

}  // namespace sotto::apps
