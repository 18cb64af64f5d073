#include "sotto/bench/lab/measure/service_speed.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/apps/kit/process/usage.h"
#include "sotto/bench/lab/columns.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/star/client.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {
namespace {

using net::Clock;
constexpr const char* service_name = "measured service";
constexpr std::uint16_t ignored_word = 1;  // taken and forgotten
constexpr std::uint16_t question = 2;      // answered
constexpr std::uint16_t end = 3;
constexpr std::chrono::seconds answer_within{60};

class Taker : public net::ServiceHandler {
 public:
  explicit Taker(net::Service& service) : service_(service) {}
  void received(net::PeerId peer, net::Message&& message) override {
    if (message.type == question) service_.send(peer, net::Message{question, {}});
    ended_ = ended_ || message.type == end;
  }
  [[nodiscard]] bool done() const override { return ended_; }

 private:
  net::Service& service_;
  bool ended_ = false;
};

// The service in its thread, and its clients, all connected.
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
    // The clients are of this process too, and take a descriptor each.
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

// Calls that need not wait do not look at `interrupted`.
void ask(net::ServiceClient& client, std::size_t bytes, const std::atomic<bool>& interrupted) {
  if (interrupted) throw Interrupted();
  static_cast<void>(client.ask({question, std::vector<std::byte>(bytes)}, Clock::now() + answer_within, interrupted));
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
  // An answer says that all before it was taken.
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
                    columns("link; clients; bytes: bytes a message; messages_per_second: messages a second; "
                            "megabytes_per_second: MB a second; ask_us: message and answer, us"));
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

}  // namespace sotto::apps
