#include "apps/robin/roles/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "apps/kit/deploy/role_process.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/tasks.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/robin/client_logs.h"
#include "apps/robin/roles/messages.h"
#include "apps/robin/roles/roles.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::robin {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* the_report = "the report of a role";

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

class LocalProcessesOfRobin {
 public:
  LocalProcessesOfRobin(const RobinOptions& options, const RobinTerms& terms, const std::atomic<bool>& interrupted)
      : options_(options),
        settings_(terms.settings),
        ranges_(client_processes(settings_.clients, core_count())),
        group_("/proc/self/exe", interrupted) {
    const std::vector<std::byte> bytes = encode(terms);
    write_file(terms_file(), std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  void start() {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    address_ = listener.address().text();
    Words clients;
    const std::string aggregator = key("aggregator");
    for (const ClientRange& range : ranges_) clients.push_back(key(client_key(range)));
    start_aggregator(Descriptor(listener.release()), clients);
    for (const ClientRange& range : ranges_) start_clients(range, aggregator);
  }

  void wait(const std::function<void(const ProgressState&)>& progress) { group_.wait(settings_.horizon, progress); }

  [[nodiscard]] std::optional<RobinAggregatorReport> aggregator() const {
    if (!fs::exists(report_file("aggregator"))) return std::nullopt;
    return read_described_file<RobinAggregatorReport>(report_file("aggregator"), the_report);
  }
  [[nodiscard]] std::vector<RobinClientReport> clients() const {
    std::vector<RobinClientReport> reports;
    for (const ClientRange& range : ranges_) {
      reports.push_back(read_described_file<RobinClientReport>(report_file(client_key(range)), the_report));
    }
    return reports;
  }

 private:
  static std::string client_key(const ClientRange& range) { return fmt::format("client_{}", range.first); }
  [[nodiscard]] fs::path terms_file() const { return group_.folder() / "terms"; }
  [[nodiscard]] fs::path key_file(const std::string& name) const { return group_.folder() / (name + ".pem"); }
  [[nodiscard]] fs::path report_file(const std::string& name) const { return group_.folder() / (name + ".json"); }

  std::string key(const std::string& name) const {
    if (options_.insecure_plaintext) return {};
    const net::Identity identity = net::Identity::create(name);
    identity.write(key_file(name));
    return identity.fingerprint();
  }
  [[nodiscard]] Words trust(const std::string& own, const Words& fingerprints) const {
    if (options_.insecure_plaintext) return {"--insecure-plaintext"};
    Words words{"--key", key_file(own).string()};
    for (const std::string& fingerprint : fingerprints) append(words, {"--trust", fingerprint});
    return words;
  }

  void start_aggregator(Descriptor listener, const Words& clients) {
    std::size_t most = 1;
    for (const ClientRange& range : ranges_) most = std::max(most, range.count);
    Words words{"robin",
                "aggregator",
                "--terms",
                terms_file().string(),
                "--most-a-process",
                std::to_string(most),
                "--quiet",
                "--report",
                report_file("aggregator").string()};
    if (options_.insecure_seed) {
      append(words, {"--insecure-seed", std::to_string(*options_.insecure_seed)});
    }
    append(words, trust("aggregator", clients));
    group_.start("the aggregator", std::move(words), std::move(listener), false);
  }

  void start_clients(const ClientRange& range, const std::string& aggregator) {
    Words words{"robin",   "client",   "--connect",
                address_,  "--number", std::to_string(range.first),
                "--quiet", "--report", report_file(client_key(range)).string()};
    if (options_.files.empty()) append(words, {"--simulated", std::to_string(range.count)});
    for (std::size_t i = 0; i < range.count && !options_.files.empty(); ++i) {
      append(words, {"--client", fs::absolute(options_.files[range.first + i]).string()});
    }
    // The limits are printed with all digits, so the clients accept exactly the promise of this run.
    append(words,
           {"--eps", fmt::format("{:.17g}", settings_.epsilon), "--delta", fmt::format("{:.17g}", settings_.delta)});
    append(words, trust(client_key(range), {aggregator}));
    group_.start(clients_text(range.first, range.count), std::move(words), {}, range.first == 0);
  }

  const RobinOptions& options_;
  const RobinSettings& settings_;
  std::vector<ClientRange> ranges_;
  std::string address_;
  LocalGroup group_;
};

RobinInputs of_files(const RobinOptions& options) {
  if (options.files.size() < 2) {
    throw InputError("--client",
                     "one file is one client, and one client has nobody to share with; give the flag once for each of "
                     "2 clients or more");
  }
  const double reward_bound = chosen_reward_bound(options.settings);
  ClientLogs logs = read_client_logs(options.files, options.settings.bound, reward_bound > 0 ? reward_bound : 0);
  RobinInputs inputs;
  inputs.settings = with_logs(options.settings, logs, options.horizon_given);
  inputs.settings.clients = options.files.size();
  inputs.settings = resolved(inputs.settings, *logs.instance);
  inputs.instance = std::move(logs.instance);
  inputs.has_means = logs.has_means;
  return inputs;
}

RobinResult described(const RobinOptions& options, const RobinInputs& inputs) {
  RobinResult result;
  result.outcome.settings = inputs.settings;
  result.outcome.decision = decide(inputs.settings);
  for (const auto& file : options.files) result.files.push_back(file.filename().string());
  result.has_means = inputs.has_means;
  result.insecure = insecure_switches(options.insecure_seed.has_value(), options.insecure_plaintext);
  return result;
}

// The report contains the spent budget of all releases, even if the run failed later.
void add_aggregator(const RobinAggregatorReport& report, RobinResult& result) {
  RobinOutcome& outcome = result.outcome;
  outcome.releases = report.releases;
  outcome.epsilon_spent = report.epsilon_spent;
  outcome.delta_spent = report.delta_spent;
  outcome.rho_spent = report.rho_spent;
  for (const Release& release : report.releases) outcome.clipped.estimates += release.clipped;
  if (!report.estimates.empty()) result.estimate = report.estimates.back();
  result.roles.push_back(report.cost);
}

void add_clients(const std::vector<RobinClientReport>& reports, const std::vector<std::vector<double>>& broadcasts,
                 const RobinTerms& terms, std::span<const double> theta, RobinResult& result) {
  const std::vector<Phase> phases = phases_of(terms);
  std::size_t release = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    PhaseReport all;
    for (const RobinClientReport& report : reports) all.append(report.phases.at(i));
    std::span<const double> broadcast;
    if (!phases[i].local) broadcast = broadcasts.at(release - 1);
    result.outcome.add_phase(phases[i], all, broadcast, theta);
    if (phases[i].uploads) ++release;
  }
  double slowest = 0;
  for (const RobinClientReport& report : reports) {
    slowest = std::max(slowest, report.play_seconds);
    result.roles.push_back(report.cost);
  }
  result.play_seconds = slowest;
}

void play_twins(const RobinInputs& inputs, const std::function<void(const ProgressState&)>& report,
                const std::atomic<bool>& interrupted, RobinResult& result) {
  RobinPlayOptions options;
  options.threads = core_count();
  std::mutex one_at_a_time;
  const auto progress = [&](std::uint64_t played, std::uint64_t of) {
    if (!report) return;
    const std::lock_guard lock(one_at_a_time);
    ProgressState state;
    state.step = played;
    state.total_steps = of;
    report(state);
  };
  add_twins(result.outcome, inputs.instance, options, progress, interrupted);
}

}  // namespace

std::vector<ClientRange> client_processes(std::size_t clients, std::size_t cores) {
  const std::size_t processes = clients <= most_robin_processes ? clients : std::clamp<std::size_t>(cores, 1, clients);
  std::vector<ClientRange> ranges;
  std::size_t first = 0;
  for (std::size_t i = 0; i < processes; ++i) {
    const std::size_t count = clients / processes + (i < clients % processes ? 1 : 0);
    ranges.push_back({first, count});
    first += count;
  }
  return ranges;
}

RobinInputs read_robin_inputs(const RobinOptions& options) {
  check_deadline(options.deadline_seconds);
  if (!options.files.empty()) return of_files(options);
  RobinInputs inputs;
  inputs.settings = checked(options.settings);
  inputs.instance = simulated_instance(inputs.settings);
  inputs.settings = resolved(inputs.settings, *inputs.instance);
  return inputs;
}

void check_deadline(double seconds) {
  if (seconds > 0 && seconds <= longest_robin_deadline) return;
  throw InputError("--deadline", fmt::format("expected seconds above 0 and at most {:g} (a week), not {:g}",
                                             longest_robin_deadline, seconds));
}

LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                              const std::function<void(const ProgressState&)>& progress,
                              const std::atomic<bool>& interrupted) {
  LocalRobinRun run;
  run.result = described(options, inputs);
  const RobinDecision decision = run.result.outcome.decision;
  const auto end_with = [&](RunStatus status, const Error& error) {
    run.result.status = status;
    run.result.error = error.what();
    run.error = error;
  };
  if (decision.mode == RobinMode::refused) {
    end_with(RunStatus::refused, InputError(decision.why));
    return run;
  }
  const RobinTerms terms{inputs.settings, options.files.empty(), decision.mode == RobinMode::local,
                         options.deadline_seconds};
  try {
    LocalProcessesOfRobin processes(options, terms, interrupted);
    const auto begin = std::chrono::steady_clock::now();
    processes.start();
    try {
      processes.wait(progress);
    } catch (const Error& error) {
      end_with(RunStatus::failed, error);
    }
    run.result.wall_seconds = seconds_since(begin);
    const auto aggregator = processes.aggregator();
    if (aggregator) add_aggregator(*aggregator, run.result);
    if (run.error) return run;
    if (aggregator) {
      add_clients(processes.clients(), aggregator->estimates, terms, inputs.instance->theta(), run.result);
    }
    if (options.twins) play_twins(inputs, progress, interrupted, run.result);
  } catch (const Error& error) {
    end_with(RunStatus::failed, error);
  }
  return run;
}

}  // namespace sotto::apps::robin
