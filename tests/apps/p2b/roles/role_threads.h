// Roles of P2B as threads of a test: a test runs them, stops them, and reads their lines.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>

#include "apps/p2b/roles/roles.h"
#include "apps/p2b/roles/senders.h"
#include "tests/apps/p2b/roles/reports.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {

inline std::shared_ptr<const net::Identity> new_key() {
  return std::make_shared<const net::Identity>(net::Identity::create("a role of a test"));
}

class Told {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }
  void end(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ended_ = why;
    changed_.notify_all();
  }
  void wait_for(const std::function<bool(const std::vector<std::string>&)>& enough) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return enough(lines_) || ended_; });
    if (!enough(lines_)) throw std::runtime_error("the role has ended: " + *ended_);
  }
  void wait_for_line(const std::string& part) {
    wait_for([&](const auto& lines) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.find(part) != std::string::npos; });
    });
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::optional<std::string> ended_;
};

// Returns an address of loopback that no other process of the tests uses, so the ports of a role stay free after the
// role has ended.
inline net::Address own_loopback() {
  const auto process = static_cast<unsigned>(::getpid());
  return {fmt::format("127.{}.{}.{}", 1 + (process >> 14 & 0x7F), process >> 7 & 0x7F, 1 + (process & 0x7F)), 0};
}

template <class Report>
class Running {
 public:
  using Run = std::function<Report(Told&, const std::function<void(const net::Address&)>&, const std::atomic<bool>&)>;
  explicit Running(Run run) {
    thread_ = std::thread([this, run = std::move(run)] {
      try {
        report_ = run(
            told_,
            [this](const net::Address& address) {
              address_ = address;
              told_.add("listening");
            },
            interrupted_);
      } catch (const Error& error) {
        failure_ = error.what();
      }
      told_.end(failure_);
    });
  }
  ~Running() { stop(); }
  const net::Address& address() {
    told_.wait_for([](const auto& lines) { return !lines.empty(); });
    return address_;
  }
  Report stop() {
    interrupted_ = true;
    return wait();
  }
  Report wait() {
    if (thread_.joinable()) thread_.join();
    return report_.value_or(Report{});
  }
  const std::string& failure() {
    wait();
    return failure_;
  }
  Told& told() { return told_; }

 private:
  Told told_;
  net::Address address_;
  std::optional<Report> report_;
  std::string failure_;
  std::atomic<bool> interrupted_{false};
  std::thread thread_;
};
using RunningShuffler = Running<ShufflerReport>;
using RunningServer = Running<ServerReport>;

class RolesInThreads : public ::testing::Test {
 protected:
  ServerSettings server_settings() {
    ServerSettings settings{.store = folder_.path() / "survivors.db",
                            .terms = terms_,
                            .encoder = {},
                            .model = folder_.path() / "model.json",
                            .service = {}};
    settings.service.listen = own_loopback();
    settings.service.trust.identity = server_key_;
    settings.service.trust.trusted = {shuffler_key_->fingerprint()};
    return settings;
  }
  // Batches close on the hour of clock_, which advances only if a test moves it.
  ShufflerSettings shuffler_settings() {
    ShufflerSettings settings{
        .queue = folder_.path() / "queue.db", .terms = terms_, .now = clock_.function(), .service = {}, .server = {}};
    settings.service.listen = own_loopback();
    settings.service.trust.identity = shuffler_key_;
    return settings;
  }
  net::ClientConfig client_of(const net::Address& address, const net::Identity& service, const char* name) {
    net::ClientConfig config{.service = address, .trust = {}, .name = name};
    config.trust.trusted = {service.fingerprint()};
    config.retry_for = std::chrono::seconds(20);
    return config;
  }
  net::ClientConfig agent_of(RunningShuffler& shuffler) {
    return client_of(shuffler.address(), *shuffler_key_, p2b_shuffler_name);
  }
  ShufflerSettings shuffler_settings(RunningServer& server) {
    ShufflerSettings settings = shuffler_settings();
    settings.server = client_of(server.address(), *server_key_, p2b_server_name);
    settings.server->trust.identity = shuffler_key_;
    return settings;
  }
  static RunningServer::Run run(ServerSettings settings) {
    return [settings](Told& told, const auto& listening, const std::atomic<bool>& flag) {
      return run_server(settings,
                        {[&](const std::string& line) { told.add(line); }, listening,
                         [&](std::uint64_t batches, std::uint64_t) { told.add("batches " + std::to_string(batches)); }},
                        flag);
    };
  }
  static RunningShuffler::Run run(ShufflerSettings settings) {
    return [settings](Told& told, const auto& listening, const std::atomic<bool>& flag) {
      return run_shuffler(settings,
                          {[&](const std::string& line) { told.add(line); }, listening,
                           [&](const ClosedBatch& batch) { told.add(batch_text(batch)); }},
                          flag);
    };
  }
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }

  ManualClock clock_;
  P2bTerms terms_ = small_terms();
  std::shared_ptr<const net::Identity> server_key_ = new_key();
  std::shared_ptr<const net::Identity> shuffler_key_ = new_key();
  PrivateFolder folder_;
};

inline void send_users(const net::ClientConfig& shuffler, int first, int count, ReportTotals* totals = nullptr,
                       ReporterSettings settings = {7, 3}) {
  Reporter reporter(shuffler, settings, net::never_interrupted);
  EXPECT_EQ(reporter.terms(), small_terms());
  for (int u = first; u < first + count; ++u) {
    const auto n = static_cast<std::uint32_t>(u);
    reporter.add(user_token("user " + std::to_string(u)), {n % 8, n % 3, u % 2 == 0 ? 1.0 : 0.0});
  }
  reporter.finish();
  if (totals != nullptr) *totals = reporter.totals();
}

inline net::Message message(P2bMessage type, Payload payload = {}) {
  return {static_cast<std::uint16_t>(type), std::move(payload)};
}

}  // namespace sotto::apps::p2b
