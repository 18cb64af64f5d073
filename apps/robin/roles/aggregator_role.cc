#include "apps/robin/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/robin/roles/gathering.h"
#include "apps/robin/roles/messages.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

using net::Clock;
using net::PeerId;

constexpr std::size_t spare_connections = 64;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

GatheringShape shape_of(const RobinAggregatorOptions& options) {
  const RobinSettings& settings = options.terms.settings;
  const bool releases = !options.terms.local;
  GatheringShape shape;
  shape.clients = settings.clients;
  shape.dimension = settings.dimension;
  shape.arms = settings.arms;
  shape.steps = settings.horizon;
  shape.simulated = options.terms.simulated;
  shape.most_a_peer = options.most_a_process;
  shape.epsilon = releases ? settings.epsilon : 0;
  shape.delta = releases ? promised_delta(settings.composition, settings.delta) : 0;
  return shape;
}

net::ServiceConfig of_the_run(const RobinAggregatorOptions& options) {
  const RobinSettings& settings = options.terms.settings;
  net::ServiceConfig config = options.service;
  config.name = robin_service_name;
  config.longest_message =
      longest_robin_payload(std::min(options.most_a_process, settings.clients), settings.dimension);
  config.most_connections = settings.clients + spare_connections;
  // All clients may send their estimates at once, and a message that is being received needs up to twice its size in
  // memory.
  config.most_held_bytes =
      std::max(config.most_held_bytes, 2 * longest_robin_payload(settings.clients, settings.dimension));
  return config;
}

class Aggregation : public net::ServiceHandler {
 public:
  Aggregation(const RobinAggregatorOptions& options, RobinAggregator& engine, net::Service& service,
              RobinAggregatorReport& report)
      : options_(options), engine_(engine), service_(service), report_(report), gathering_(shape_of(options)) {
    wait_again();
    say(fmt::format("listens on {} for {}", service.address().text(),
                    counted(options.terms.settings.clients, "client")));
  }

  void received(PeerId peer, net::Message&& message) override {
    try {
      handle(peer, message);
    } catch (const ProtocolError& error) {
      if (!gathering_.knows(peer)) throw;  // an error of a peer that has not joined does not end the run
      fail(error);
    } catch (const Error& error) {
      fail(error);
    }
  }

  void left(PeerId peer, const std::string& why) override {
    if (done() || !gathering_.knows(peer)) return;
    const std::string who = gathering_.name(peer);
    const std::string how = why.empty() ? "it left" : why;
    if (begun_) {
      fail(NetworkError(who, fmt::format("{} was lost before release {} of {}: {}", who, release_ + 1,
                                         releases_of(options_.terms), how)));
      return;
    }
    gathering_.leave(peer);
    say(fmt::format("{} is gone: {}", who, how));
  }

  void refused(const std::string& from, const std::string& why) override {
    say(fmt::format("refused {}: {}", from, why));
  }

  Clock::time_point tick() override {
    if (done()) return Clock::time_point::max();
    if (Clock::now() >= deadline_) fail(silence());
    return deadline_;
  }

  [[nodiscard]] bool done() const override { return finished_ || error_.has_value(); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }

  void tell_failure(const Error& error) {
    const RobinFailed failed{error.exit_code(), error.what()};
    for (const PeerId peer : gathering_.peers()) {
      send(peer, RobinMessage::failed, encode(failed));
    }
  }

 private:
  void handle(PeerId peer, const net::Message& message) {
    if (done()) return;
    switch (static_cast<RobinMessage>(message.type)) {
      case RobinMessage::join:
        take_join(peer, message);
        return;
      case RobinMessage::estimates:
        take_estimates(peer, message);
        return;
      default:
        throw violation(peer, fmt::format("a message of type {}", message.type));
    }
  }

  [[nodiscard]] ProtocolError violation(PeerId peer, const std::string& what) const {
    const std::string who = gathering_.knows(peer) ? gathering_.name(peer) : fmt::format("{}", service_.from(peer));
    return {ProtocolError::Kind::malformed, who, release_,
            fmt::format("{} sent {}, which is none of ROBIN's from a client", who, what)};
  }

  void take_join(PeerId peer, const net::Message& message) {
    const std::optional<RobinJoin> join = decode_join(message.payload);
    if (!join) throw violation(peer, fmt::format("a join of {}", counted(message.payload.size(), "byte")));
    std::optional<RobinFailed> refusal;
    if (begun_ && !gathering_.knows(peer)) {
      refusal = RobinFailed{ExitCode::disagreement, "the run has begun with other clients"};
    } else {
      refusal = gathering_.join(peer, service_.fingerprint(peer), *join);
    }
    if (refusal && gathering_.knows(peer)) {
      throw ProtocolError(ProtocolError::Kind::unexpected, gathering_.name(peer), release_, refusal->text);
    }
    if (refusal) {
      say(fmt::format("refused {}: {}", service_.from(peer), refusal->text));
      send(peer, RobinMessage::failed, encode(*refusal));
      service_.drop(peer, refusal->text);
      return;
    }
    send(peer, RobinMessage::settings, encode(options_.terms));
    const std::string missing = gathering_.not_joined();
    say(fmt::format("{} joined from {}{}", gathering_.name(peer), service_.from(peer),
                    missing.empty() ? "" : ", missing: " + missing));
    if (gathering_.all_joined()) begin();
  }

  void begin() {
    begun_ = true;
    gathering_.begin(release_);
    play({});
  }

  void play(const std::vector<double>& broadcast) {
    const auto all = encode(RobinPlay{release_, broadcast});
    for (const PeerId peer : gathering_.peers()) send(peer, RobinMessage::play, all);
    wait_again();
    if (release_ < releases_of(options_.terms)) return;
    const auto end = encode(RobinFinished{release_, report_.epsilon_spent});
    for (const PeerId peer : gathering_.peers()) send(peer, RobinMessage::finished, end);
    finished_ = true;
  }

  void take_estimates(PeerId peer, const net::Message& message) {
    const std::optional<RobinEstimates> estimates = decode_estimates(message.payload);
    if (!estimates) {
      throw violation(peer, fmt::format("estimates of {}", counted(message.payload.size(), "byte")));
    }
    gathering_.add(peer, *estimates);
    if (gathering_.complete()) make_release();
  }

  void make_release() {
    const Clock::time_point begin = Clock::now();
    std::vector<double> broadcast = engine_.release(gathering_.estimates());
    report_.aggregation_seconds += seconds_since(begin);
    report_.releases = engine_.releases();
    report_.epsilon_spent = engine_.epsilon_spent();
    report_.delta_spent = engine_.delta_spent();
    report_.rho_spent = engine_.rho_spent();
    report_.estimates.push_back(broadcast);
    // This role writes the report before the broadcast, so the spent budget is known even if this process is killed.
    if (!options_.report.empty()) write_described(options_.report, report_);
    ++release_;
    say(fmt::format("release {} of {}: epsilon {:.4g} spent", release_, releases_of(options_.terms),
                    report_.epsilon_spent));
    gathering_.begin(release_);
    play(broadcast);
  }

  [[nodiscard]] NetworkError silence() const {
    const double seconds = options_.terms.deadline_seconds;
    if (!begun_) {
      const std::string who = gathering_.not_joined();
      return {who, fmt::format("{} did not join within {:g} s; --deadline gives more time", who, seconds)};
    }
    const std::string who = gathering_.not_reported();
    return {who, fmt::format("{} did not report for release {} of {} within {:g} s; --deadline gives more time", who,
                             release_ + 1, releases_of(options_.terms), seconds)};
  }

  void fail(const Error& error) {
    error_ = error;
    tell_failure(error);
  }

  void send(PeerId peer, RobinMessage type, std::vector<std::byte> payload) {
    bytes_sent_ += payload.size();
    service_.send(peer, net::Message{static_cast<std::uint16_t>(type), std::move(payload)});
  }

  void wait_again() { deadline_ = Clock::now() + milliseconds(options_.terms.deadline_seconds); }

  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }

  const RobinAggregatorOptions& options_;
  RobinAggregator& engine_;
  net::Service& service_;
  RobinAggregatorReport& report_;
  Gathering gathering_;
  Clock::time_point deadline_{};
  std::uint64_t release_ = 0;
  bool begun_ = false;
  bool finished_ = false;
  std::optional<Error> error_;
  std::uint64_t bytes_sent_ = 0;
};

void serve(const RobinAggregatorOptions& options, RobinAggregator& engine, const std::atomic<bool>& interrupted,
           RobinAggregatorReport& report) {
  net::Service service(of_the_run(options));
  Aggregation aggregation(options, engine, service, report);
  service.run(aggregation, interrupted);
  report.cost.bytes_sent = aggregation.bytes_sent();
  if (aggregation.error()) throw Error(*aggregation.error());
}

RobinAggregatorOptions decided(RobinAggregatorOptions options, const RobinDecision& decision) {
  if (decision.mode == RobinMode::refused) throw InputError(decision.why);
  options.terms.local = decision.mode == RobinMode::local;
  return options;
}

RobinAggregatorReport report_of(const RobinAggregatorOptions& options) {
  const RobinSettings& settings = options.terms.settings;
  RobinAggregatorReport report;
  report.cost = {"aggregator", 0, 0, 0};
  report.insecure = insecure_switches(options.insecure_seed.has_value(), options.service.trust.plaintext);
  report.version = version();
  report.clients = settings.clients;
  report.epsilon = settings.epsilon;
  report.delta = promised_delta(settings.composition, settings.delta);
  report.composition = name_of(settings.composition);
  return report;
}

void finish(const RobinAggregatorOptions& options, RobinAggregatorReport& report) {
  report.cost.cpu_seconds = process_cpu_seconds();
  report.cost.peak_memory_bytes = peak_memory_bytes();
  if (!options.report.empty()) write_described(options.report, report);
}

}  // namespace

RobinAggregatorReport run_robin_aggregator(const RobinAggregatorOptions& options,
                                           const std::atomic<bool>& interrupted) {
  RobinAggregatorReport report = report_of(options);
  try {
    RobinAggregator engine(options.terms.settings, Coins::of(options.insecure_seed));
    report.decision = engine.decision();
    serve(decided(options, report.decision), engine, interrupted, report);
  } catch (const Error& error) {
    report.error = error.what();
    report.status = report.decision.mode == RobinMode::refused ? "refused" : "failed";
    finish(options, report);
    throw;
  }
  report.status = "complete";
  finish(options, report);
  return report;
}

}  // namespace sotto::apps::robin
