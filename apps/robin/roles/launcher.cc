#include "sotto/apps/robin/roles/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sotto/apps/kit/deploy/local_processes.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/learn/tasks.h"
#include "sotto/apps/kit/process/usage.h"
#include "sotto/apps/kit/report/described.h"
#include "sotto/apps/robin/roles/messages.h"
#include "sotto/net/transport/tcp/listener.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* the_report = "the report of a role";

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

class LocalProcessesOfRobin {
 public:
  LocalProcessesOfRobin(const LocalRobin& local, const std::atomic<bool>& interrupted)
      : local_(local),
        ranges_(client_processes(local.terms.settings.clients, core_count())),
        group_(local.program, interrupted) {
    const std::vector<std::byte> terms = encode(local.terms);
    write_file(terms_file(), std::string_view(reinterpret_cast<const char*>(terms.data()), terms.size()));
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

  void wait(const std::function<void(const ProgressState&)>& progress) {
    group_.wait(local_.terms.settings.horizon, progress);
  }

  void gather_aggregator(LocalRobinOutcome& outcome) const {
    if (fs::exists(report_file("aggregator"))) {
      outcome.aggregator = read_described_file<RobinAggregatorReport>(report_file("aggregator"), the_report);
    }
  }
  void gather_clients(LocalRobinOutcome& outcome) const {
    for (const ClientRange& range : ranges_) {
      outcome.clients.push_back(read_described_file<RobinClientReport>(report_file(client_key(range)), the_report));
    }
  }

 private:
  static std::string client_key(const ClientRange& range) { return fmt::format("client_{}", range.first); }
  [[nodiscard]] fs::path terms_file() const { return group_.folder() / "terms"; }
  [[nodiscard]] fs::path key_file(const std::string& name) const { return group_.folder() / (name + ".pem"); }
  [[nodiscard]] fs::path report_file(const std::string& name) const { return group_.folder() / (name + ".json"); }

  // The fingerprint of a key that is made here; empty where links are plain text.
  std::string key(const std::string& name) const {
    if (local_.insecure_plaintext) return {};
    const net::Identity identity = net::Identity::create(name);
    identity.write(key_file(name));
    return identity.fingerprint();
  }
  [[nodiscard]] Words trust(const std::string& own, const Words& fingerprints) const {
    if (local_.insecure_plaintext) return {"--insecure-plaintext"};
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
    if (local_.insecure_seed) {
      append(words, {"--insecure-seed", std::to_string(*local_.insecure_seed)});
    }
    append(words, trust("aggregator", clients));
    group_.start("the aggregator", std::move(words), std::move(listener), false);
  }

  void start_clients(const ClientRange& range, const std::string& aggregator) {
    Words words{"robin",   "client",   "--connect",
                address_,  "--number", std::to_string(range.first),
                "--quiet", "--report", report_file(client_key(range)).string()};
    if (local_.files.empty()) append(words, {"--simulated", std::to_string(range.count)});
    for (std::size_t i = 0; i < range.count && !local_.files.empty(); ++i) {
      append(words, {"--client", fs::absolute(local_.files[range.first + i]).string()});
    }
    // They accept the promise of this run, to its last digit.
    append(words, {"--eps", fmt::format("{:.17g}", local_.terms.settings.epsilon), "--delta",
                   fmt::format("{:.17g}", local_.terms.settings.delta)});
    append(words, trust(client_key(range), {aggregator}));
    group_.start(clients_text(range.first, range.count), std::move(words), {}, range.first == 0);
  }

  const LocalRobin& local_;
  std::vector<ClientRange> ranges_;
  std::string address_;
  LocalGroup group_;
};

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

LocalRobinOutcome launch_local_robin(const LocalRobin& local, const std::function<void(const ProgressState&)>& progress,
                                     const std::atomic<bool>& interrupted) {
  LocalProcessesOfRobin processes(local, interrupted);
  LocalRobinOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  processes.start();
  try {
    processes.wait(progress);
  } catch (const Error& error) {
    outcome.error = error;
  }
  outcome.wall_seconds = seconds_since(begin);
  processes.gather_aggregator(outcome);
  if (!outcome.error) processes.gather_clients(outcome);
  return outcome;
}

}  // namespace sotto::apps
