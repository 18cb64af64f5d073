#include "bench/lab/measure/service.h"

#include <cstring>
#include <thread>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/files/output_file.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/roles.h"
#include "apps/p2b/roles/senders.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/processes.h"
#include "net/star/client.h"
#include "net/star/service.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

using net::Clock;
constexpr const char* service_name = "measured service";
constexpr std::uint16_t ignored_word = 1;
constexpr std::uint16_t question = 2;
constexpr std::uint16_t good_bye = 3;
constexpr std::chrono::seconds answer_within{60};

class Taker : public net::ServiceHandler {
 public:
  explicit Taker(net::Service& service) : service_(service) {}
  void received(net::PeerId peer, net::Message&& message) override {
    if (message.type == question) service_.send(peer, net::Message{question, {}});
    ended_ = ended_ || message.type == good_bye;
  }
  [[nodiscard]] bool done() const override { return ended_; }

 private:
  net::Service& service_;
  bool ended_ = false;
};

class Stage {
 public:
  Stage(const ServiceTrial& trial, const std::atomic<bool>& interrupted)
      : interrupted_(interrupted),
        key_(trial.encrypted ? std::make_shared<const net::Identity>(net::Identity::create("service")) : nullptr),
        service_(service_config(trial)),
        thread_([this] { serve(); }) {
    try {
      for (std::size_t i = 0; i < trial.clients; ++i) {
        clients_.emplace_back(client_config());
        clients_.back().connect(interrupted_);
      }
    } catch (...) {
      stop();
      throw;
    }
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() { stop(); }

  [[nodiscard]] std::vector<net::ServiceClient>& clients() noexcept { return clients_; }

 private:
  [[nodiscard]] net::ServiceConfig service_config(const ServiceTrial& trial) const {
    net::ServiceConfig config;
    config.listen = {"127.0.0.1", 0};
    config.name = service_name;
    config.trust = {!trial.encrypted, key_, {}, trial.encrypted};
    // Each connection takes two descriptors, because the clients are in this process too.
    config.most_connections = 2 * trial.clients;
    return config;
  }

  [[nodiscard]] net::ClientConfig client_config() const {
    net::ClientConfig config;
    config.service = service_.address();
    config.name = service_name;
    config.trust.plaintext = key_ == nullptr;
    config.trust.identity = key_;
    if (key_) config.trust.trusted = {key_->fingerprint()};
    return config;
  }

  void serve() {
    try {
      Taker taker(service_);
      service_.run(taker, stopped_);
    } catch (const Interrupted&) {
    }
  }

  void stop() {
    stopped_ = true;
    clients_.clear();
    if (thread_.joinable()) thread_.join();
  }

  const std::atomic<bool>& interrupted_;
  std::atomic<bool> stopped_{false};
  std::shared_ptr<const net::Identity> key_;
  net::Service service_;
  std::vector<net::ServiceClient> clients_;
  std::thread thread_;
};

// This function checks `interrupted`, because ServiceClient::ask() does not check it if the call never waits.
void ask(net::ServiceClient& client, std::size_t bytes, const std::atomic<bool>& interrupted) {
  if (interrupted) throw Interrupted();
  static_cast<void>(client.ask({question, std::vector<std::byte>(bytes)}, Clock::now() + answer_within, interrupted));
}

constexpr double target = 100'000;

P2bTerms terms_of_trial() {
  P2bTerms terms;
  terms.codes = 1024;
  terms.arms = 10;
  return terms;
}

UserToken any_user(Coins& coins) {
  UserToken user;
  const std::uint64_t halves[] = {coins.next(), coins.next()};
  std::memcpy(user.data(), halves, user.size());
  return user;
}

Tuple any_tuple(Coins& coins) {
  const P2bTerms terms = terms_of_trial();
  return {static_cast<std::uint32_t>(coins.below(terms.codes)), static_cast<std::uint32_t>(coins.below(terms.arms)),
          static_cast<double>(coins.below(2))};
}

double now_seconds() { return std::chrono::duration<double>(net::Clock::now().time_since_epoch()).count(); }

// Returns processor seconds, bytes of memory and the number of reports.
std::vector<double> shuffle_reports(const P2bTrial& trial, const std::filesystem::path& queue, int socket,
                                    const std::shared_ptr<const net::Identity>& key,
                                    const std::atomic<bool>& interrupted) {
  ShufflerSettings settings;
  settings.queue = queue;
  settings.terms = terms_of_trial();
  settings.period = trial.period;
  settings.most_waiting = largest_batch;
  settings.until = trial.reports;
  settings.service.descriptor = socket;
  settings.service.trust.plaintext = !trial.encrypted;
  settings.service.trust.identity = key;
  const ShufflerReport report =
      run_shuffler(settings, {[](const auto&) {}, [](const auto&) {}, [](const auto&) {}}, interrupted);
  return {process_cpu_seconds(), static_cast<double>(peak_memory_bytes()), static_cast<double>(report.counts.reports)};
}

// Returns the time of the start and the time of the last receipt.
std::vector<double> send_reports(const net::ClientConfig& shuffler, const P2bTrial& trial, std::uint64_t reports,
                                 const std::atomic<bool>& interrupted) {
  Reporter reporter(shuffler, {trial.reports_a_message, 64}, interrupted);
  static_cast<void>(reporter.terms());
  Coins coins = Coins::from_os();
  const double begin = now_seconds();
  for (std::uint64_t i = 0; i < reports; ++i) {
    const UserToken user = any_user(coins);
    reporter.add(user, any_tuple(coins));
  }
  reporter.finish();
  return {begin, now_seconds()};
}

struct ServiceBench {
  std::size_t clients = 1000;
  double seconds = 1;
};

Page measure_service(const ServiceBench& arguments) {
  show_progress("messages to a service");
  return {"service",
          "Messages to a service",
          "A service and its clients on loopback, as the shuffler of P2B and the aggregator of ROBIN are, with a "
          "handler that does nothing.",
          {},
          {service_table(arguments.clients, arguments.seconds, interrupted())}};
}

void declare_service(Command& command, ServiceBench& arguments) {
  command.add_option("--clients", arguments.clients, "Connections where there are many", whole(1, 4000));
  command.add_option("--seconds", arguments.seconds, "How long each figure is measured", real(0.001, 600.0));
}

Page measure_p2b(const P2bTrial& trial) {
  show_progress("reports to a shuffler");
  return {"p2b",
          "Reports to P2B's shuffler",
          "A shuffler with its durable queue and agents that report as fast as they can, each a process, on "
          "loopback; next to it a service that takes the same messages and forgets them, and the queue alone.",
          {},
          p2b_tables(trial, 1, interrupted())};
}

void declare_p2b(Command& command, P2bTrial& trial) {
  command.add_option("--reports", trial.reports, "Reports of all agents", whole(1, 1'000'000'000));
  command.add_option("--agents", trial.agents, "Processes that report", whole(1, 64));
  command.add_option("--period", trial.period, "Seconds from batch to batch", whole(1, 3600))->type_name("SECONDS");
  command.add_option("--reports-a-message", trial.reports_a_message, "Reports that travel together",
                     whole(1, most_reports_a_message));
}

}  // namespace

ServiceSpeed measure_service(const ServiceTrial& trial, double seconds, const std::atomic<bool>& interrupted) {
  Stage stage(trial, interrupted);
  ServiceSpeed speed;
  std::size_t sent = 0;
  const Clock::time_point begin = Clock::now();
  for (std::size_t rounds = 0; rounds == 0 || seconds_since(begin) < seconds; ++rounds) {
    if (interrupted) throw Interrupted();
    for (net::ServiceClient& client : stage.clients()) {
      client.send({ignored_word, std::vector<std::byte>(trial.bytes)}, interrupted);
      ++sent;
    }
  }
  // An answer confirms that the service has received all earlier messages.
  for (net::ServiceClient& client : stage.clients()) ask(client, 0, interrupted);
  speed.messages_per_second = static_cast<double>(sent) / seconds_since(begin);
  std::size_t asked = 0;
  const Clock::time_point asking = Clock::now();
  for (; asked == 0 || seconds_since(asking) < seconds; ++asked) {
    ask(stage.clients().front(), trial.bytes, interrupted);
  }
  speed.ask_microseconds = 1e6 * seconds_since(asking) / static_cast<double>(asked);
  return speed;
}

FigureTable service_table(std::size_t clients, double seconds, const std::atomic<bool>& interrupted) {
  FigureTable table("service", "Messages that a service takes on loopback",
                    "link; clients; bytes: bytes a message; messages_per_second: messages a second; "
                    "megabytes_per_second: MB a second; ask_us: message and answer, us");
  for (const bool encrypted : {true, false}) {
    for (const auto& [count, bytes] :
         {std::pair<std::size_t, std::size_t>{1, 20}, {1, 16'000}, {1, 1'000'000}, {clients, 16'000}}) {
      const ServiceTrial trial{encrypted, count, bytes};
      const ServiceSpeed speed = measure_service(trial, seconds, interrupted);
      table.add({encrypted ? "TLS" : "TCP", count, bytes, speed.messages_per_second,
                 speed.messages_per_second * static_cast<double>(bytes) / 1e6, speed.ask_microseconds});
    }
  }
  table.note(
      "The service is one thread, all clients together another. A report of P2B is some 20 bytes; agents send many in "
      "one message.");
  return table;
}

P2bSpeed measure_shuffler(const P2bTrial& trial, const std::atomic<bool>& interrupted) {
  net::TcpListener listener(net::Address{"127.0.0.1", 0});
  const auto key = trial.encrypted ? std::make_shared<const net::Identity>(net::Identity::create("shuffler")) : nullptr;
  net::ClientConfig client;
  client.service = listener.address();
  client.name = p2b_shuffler_name;
  client.trust.plaintext = !trial.encrypted;
  if (key) client.trust.trusted = {key->fingerprint()};
  const Descriptor socket(listener.release());

  const PrivateFolder folder;  // this process owns the folder, because the shuffler may be killed
  const std::filesystem::path queue = folder.path() / "queue.db";
  std::vector<MeasuringProcess> processes;
  processes.push_back({"the shuffler", [&] { return shuffle_reports(trial, queue, socket.get(), key, interrupted); }});
  for (std::size_t a = 0; a < trial.agents; ++a) {
    const std::uint64_t share = trial.reports * (a + 1) / trial.agents - trial.reports * a / trial.agents;
    processes.push_back(
        {"agent " + std::to_string(a), [&, share] { return send_reports(client, trial, share, interrupted); }});
  }
  const std::vector<std::vector<double>> said = run_processes(processes, interrupted);
  double begin = said[1][0];
  double end = said[1][1];
  for (std::size_t a = 1; a < said.size(); ++a) {
    begin = std::min(begin, said[a][0]);
    end = std::max(end, said[a][1]);
  }
  const auto reports = static_cast<double>(trial.reports);
  return {reports / (end - begin), 1e6 * said[0][0] / reports, 1e-6 * said[0][1]};
}

P2bSpeed measure_queue(const P2bTrial& trial) {
  const PrivateFolder folder;
  const BatchClock clock{std::chrono::seconds(trial.period)};
  ReportQueue queue(folder.path() / "queue.db", terms_of_trial(), {clock, largest_batch}, Seed::from_os(),
                    Coins::from_os());
  Coins coins = Coins::from_os();
  double seconds = 0;
  double processor = 0;
  std::vector<Report> reports;
  for (std::uint64_t done = 0; done < trial.reports; done += reports.size()) {
    reports.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most_staged, trial.reports - done)));
    for (Report& report : reports) report = {any_user(coins), coins.next(), any_tuple(coins)};
    const std::size_t end = reports.size();
    const auto begin = std::chrono::steady_clock::now();
    const double processor_before = process_cpu_seconds();
    static_cast<void>(queue.take(reports, std::span(&end, 1)));
    seconds += seconds_since(begin);
    processor += process_cpu_seconds() - processor_before;
  }
  const auto all = static_cast<double>(trial.reports);
  return {all / seconds, 1e6 * processor / all, 0};
}

std::vector<FigureTable> p2b_tables(const P2bTrial& trial, double floor_seconds, const std::atomic<bool>& interrupted) {
  FigureTable table("speeds", "Reports that a shuffler takes on loopback",
                    "what; link; reports; reports_per_second: reports a second; "
                    "shuffler_us: processor time a report, us; memory_mb: memory, MB");
  FigureTable targets("targets", "The target", "what; target: at least; measured; reached");
  const auto known = [](double figure) { return figure > 0 ? std::optional<double>(figure) : std::nullopt; };
  // Processes must be forked before this function starts a thread, so the shuffler comes first.
  P2bTrial of_link = trial;
  std::vector<P2bSpeed> speeds;
  for (const bool encrypted : {true, false}) {
    of_link.encrypted = encrypted;
    speeds.push_back(measure_shuffler(of_link, interrupted));
  }
  const P2bSpeed queue = measure_queue(trial);
  for (const bool encrypted : {true, false}) {
    const char* link = encrypted ? "TLS" : "TCP";
    const P2bSpeed& speed = speeds[encrypted ? 0 : 1];
    table.add({"shuffler", link, trial.reports, speed.reports_per_second, speed.shuffler_us, known(speed.memory_mb)});
    const ServiceSpeed messages =
        measure_service({encrypted, trial.agents, sizeof(std::uint64_t) + report_bytes * trial.reports_a_message},
                        floor_seconds, interrupted);
    table.add({"its messages, forgotten", link, std::optional<double>(),
               messages.messages_per_second * static_cast<double>(trial.reports_a_message), std::optional<double>(),
               std::optional<double>()});
  }
  table.add(
      {"its queue alone", "none", trial.reports, queue.reports_per_second, queue.shuffler_us, known(queue.memory_mb)});
  table.note(
      "Each report is of another user and on the disk before it is acknowledged; batches are closed, shuffled and kept "
      "for a server that is not there. Agents are processes of this machine and take its cores as well.");
  targets.add(
      {"reports a second over TLS", target, speeds[0].reports_per_second, speeds[0].reports_per_second >= target});
  return {std::move(table), std::move(targets)};
}

void add_bench_service(Command& bench) {
  add_measurement<ServiceBench>(bench, "service", "Time the messages that a service takes of one client and of many",
                                "Examples:\n"
                                "  sotto-lab bench service\n"
                                "  sotto-lab bench service --clients 100 --json",
                                declare_service, measure_service);
}

void add_bench_p2b(Command& bench) {
  add_measurement<P2bTrial>(bench, "p2b", "Time the reports that P2B's shuffler takes and keeps",
                            "Examples:\n"
                            "  sotto-lab bench p2b\n"
                            "  sotto-lab bench p2b --reports 200000 --agents 4 --json",
                            declare_p2b, measure_p2b);
}

}  // namespace sotto::apps::lab
