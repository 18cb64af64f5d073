#include "apps/robin/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>
#include <utility>

#include "apps/kit/process/progress.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/robin/client_logs.h"
#include "apps/robin/roles/messages.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::apps::robin {
namespace {

using net::Clock;

constexpr double spare_seconds = 60;

std::uint64_t digest_of(const std::vector<std::string>& features) {
  std::string text;
  for (const std::string& feature : features) text += feature + "\n";
  return fnv1a(text);
}

net::ClientConfig connection(const RobinClientOptions& options) {
  net::ClientConfig config = options.connection;
  config.name = robin_service_name;
  config.longest_message = longest_robin_payload(1, most_robin_dimension);
  return config;
}

class Aggregator {
 public:
  Aggregator(const RobinClientOptions& options, const std::atomic<bool>& interrupted)
      : client_(connection(options)), interrupted_(interrupted) {}

  void send(RobinMessage type, std::vector<std::byte> payload) {
    bytes_sent_ += payload.size();
    client_.send({static_cast<std::uint16_t>(type), std::move(payload)}, interrupted_);
  }

  std::vector<std::byte> take(RobinMessage type, double seconds) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
    std::optional<net::Message> message = client_.receive(deadline, interrupted_);
    if (!message) {
      throw NetworkError("the aggregator", fmt::format("the aggregator said nothing for {:g} s", seconds));
    }
    if (message->type == static_cast<std::uint16_t>(RobinMessage::failed)) throw_failure(*message);
    if (message->type != static_cast<std::uint16_t>(type)) throw malformed();
    return std::move(message->payload);
  }

  void watch() {
    const std::optional<net::Message> message = client_.receive(Clock::now(), interrupted_);
    if (!message) return;
    if (message->type == static_cast<std::uint16_t>(RobinMessage::failed)) throw_failure(*message);
    throw malformed();
  }

  [[nodiscard]] static ProtocolError malformed() {
    return {ProtocolError::Kind::malformed, "the aggregator", 0,
            "the aggregator sent what does not belong here: it runs another version"};
  }

  void finish() { (void)client_.finish(Clock::now() + std::chrono::seconds(10), interrupted_); }
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  [[noreturn]] static void throw_failure(const net::Message& message) {
    const std::optional<RobinFailed> failed = decode_failed(message.payload);
    if (!failed) throw malformed();
    throw Error(failed->code, "the aggregator reports: " + failed->text);
  }

  net::ServiceClient client_;
  const std::atomic<bool>& interrupted_;
  std::uint64_t bytes_sent_ = 0;
};

class Clients {
 public:
  Clients(const RobinClientOptions& options, const std::atomic<bool>& interrupted)
      : options_(options),
        interrupted_(interrupted),
        aggregator_(options, interrupted),
        progress_(options.progress_descriptor) {
    if (!options.files.empty()) logs_ = read_client_logs(options.files, 1);
  }

  RobinClientReport run() {
    enter();
    std::vector<double> broadcast = await_play();
    for (const Phase& phase : phases_) {
      play(phase, broadcast);
      if (phase.uploads) broadcast = await_play();
    }
    report();
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return logs_ ? options_.files.size() : options_.simulated; }
  [[nodiscard]] std::string name() const { return clients_text(options_.number, count()); }

  void enter() {
    RobinJoin join{options_.number, count()};
    if (options_.most_epsilon) join.most_epsilon = *options_.most_epsilon;
    if (options_.most_delta) join.most_delta = *options_.most_delta;
    if (logs_) {
      join.dimension = logs_->features.size();
      join.arms = logs_->arms;
      join.steps = logs_->steps;
      join.columns = digest_of(logs_->features);
    }
    aggregator_.send(RobinMessage::join, encode(join));
    const auto payload = aggregator_.take(RobinMessage::settings, join_seconds);
    const std::optional<RobinTerms> terms = decode_terms(payload);
    if (!terms) throw Aggregator::malformed();
    terms_ = *terms;
    agree();
    open();
  }

  void agree() const {
    const RobinSettings& settings = terms_.settings;
    const auto refuse = [](const std::string& text) { return DisagreementError(text); };
    if (terms_.simulated == logs_.has_value()) {
      throw refuse("the aggregator runs a simulation, but this client has a file (or the reverse)");
    }
    if (options_.most_epsilon && !terms_.local && settings.epsilon > *options_.most_epsilon) {
      throw refuse(
          fmt::format("the aggregator promises epsilon {:g}, but this client was started with --eps {:g} at most",
                      settings.epsilon, *options_.most_epsilon));
    }
    if (options_.most_delta && !terms_.local &&
        promised_delta(settings.composition, settings.delta) > *options_.most_delta) {
      throw refuse(
          fmt::format("the aggregator promises delta {:g}, but this client was started with --delta {:g} at most",
                      promised_delta(settings.composition, settings.delta), *options_.most_delta));
    }
    if (logs_ && (settings.dimension != logs_->features.size() || settings.arms != logs_->arms ||
                  settings.horizon > logs_->steps)) {
      throw refuse(fmt::format("the aggregator plays {} of {} and {}; this client's file has {}, {} and {}",
                               counted(settings.horizon, "step"), counted(settings.arms, "arm"),
                               counted(settings.dimension, "feature"), logs_->steps, logs_->arms,
                               logs_->features.size()));
    }
  }

  void open() {
    std::shared_ptr<const RobinInstance> instance;
    if (logs_) {
      // When this role first read the files, it did not know the bounds of the run.
      if (terms_.settings.bound != 1 || !logs_->has_means) {
        logs_ = read_client_logs(options_.files, terms_.settings.bound, terms_.settings.reward_bound);
      }
      instance = logs_->instance;
    } else {
      instance = simulated_instance(terms_.settings);
    }
    // The instance of logged clients contains only the clients of this process, numbered from 0.
    pool_ = std::make_unique<ClientPool>(terms_.settings, std::move(instance), logs_ ? 0 : options_.number, count());
    phases_ = phases_of(terms_);
    say(fmt::format("{} joined: {}, {}, epsilon {:g}, delta {:g}{}", name(), counted(terms_.settings.clients, "client"),
                    counted(terms_.settings.horizon, "step"), terms_.settings.epsilon,
                    promised_delta(terms_.settings.composition, terms_.settings.delta),
                    terms_.local ? ", played locally" : ""));
  }

  [[nodiscard]] double waiting_time() const { return 2 * terms_.deadline_seconds + spare_seconds; }

  std::vector<double> await_play() {
    const std::optional<RobinPlay> play = decode_play(aggregator_.take(RobinMessage::play, waiting_time()));
    const std::size_t expected = release_ == 0 ? 0 : terms_.settings.dimension;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!play || play->release != release_ || play->broadcast.size() != expected ||
        !std::all_of(play->broadcast.begin(), play->broadcast.end(), finite)) {
      throw Aggregator::malformed();
    }
    if (release_ == releases_of(terms_)) part();
    return play->broadcast;
  }

  void play(const Phase& phase, const std::vector<double>& broadcast) {
    const Clock::time_point begin = Clock::now();
    std::uint64_t steps = 0;
    const auto played = [&](std::uint64_t more) {
      steps += more;
      progress_.write(phase.first_step + steps / count(), average(phase.first_step), release_);
    };
    const std::span<const double> guide = phase.local ? std::span<const double>() : std::span<const double>(broadcast);
    PhaseReport result =
        watched([&](const std::atomic<bool>& stop) { return pool_->play(phase, guide, 1, stop, played); });
    report_.play_seconds += seconds_since(begin);
    if (phase.uploads) {
      aggregator_.send(RobinMessage::estimates, encode(RobinEstimates{release_, std::move(result.estimates)}));
      ++release_;
    }
    result.estimates.clear();
    reward_ += result.reward;
    report_.phases.push_back(std::move(result));
  }

  // Plays in a separate thread, so that this thread notices if the run ends during the play.
  PhaseReport watched(const std::function<PhaseReport(const std::atomic<bool>&)>& work) {
    std::atomic<bool> stop{false};
    std::future<PhaseReport> result = std::async(std::launch::async, work, std::cref(stop));
    try {
      while (result.wait_for(between_looks) != std::future_status::ready) {
        if (interrupted_) throw Interrupted();
        if (!parted_) aggregator_.watch();
      }
    } catch (...) {
      stop = true;
      result.wait();
      throw;
    }
    return result.get();
  }

  [[nodiscard]] double average(std::uint64_t steps) const {
    return steps == 0 ? 0 : reward_ / static_cast<double>(steps * count());
  }

  void part() {
    const std::optional<RobinFinished> finished =
        decode_finished(aggregator_.take(RobinMessage::finished, waiting_time()));
    if (!finished || finished->releases != release_) throw Aggregator::malformed();
    aggregator_.finish();
    parted_ = true;
    say(fmt::format("{}, epsilon {:.4g} spent of {:g}", counted(finished->releases, "release"), finished->epsilon_spent,
                    terms_.settings.epsilon));
  }

  void report() {
    report_.cost.role = name();
    report_.cost.bytes_sent = aggregator_.bytes_sent();
    report_.cost.cpu_seconds = process_cpu_seconds();
    report_.cost.peak_memory_bytes = peak_memory_bytes();
    report_.first = options_.number;
    report_.clients = count();
    if (!options_.report.empty()) write_described(options_.report, report_);
  }

  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }

  static constexpr double join_seconds = 60;
  static constexpr std::chrono::milliseconds between_looks{20};

  const RobinClientOptions& options_;
  const std::atomic<bool>& interrupted_;
  Aggregator aggregator_;
  ProgressWriter progress_;
  std::optional<ClientLogs> logs_;
  RobinTerms terms_;
  std::vector<Phase> phases_;
  std::unique_ptr<ClientPool> pool_;
  std::uint64_t release_ = 0;
  bool parted_ = false;
  double reward_ = 0;
  RobinClientReport report_;
};

}  // namespace

RobinClientReport run_robin_client(const RobinClientOptions& options, const std::atomic<bool>& interrupted) {
  return Clients(options, interrupted).run();
}

}  // namespace sotto::apps::robin
