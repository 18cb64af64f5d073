// A decision service of two parties whose roles are processes. A test starts, kills and restarts the roles' processes,
// and lets the service begin from other services.
#pragma once

#include <array>
#include <cmath>
#include <csignal>
#include "apps/kit/http/server.h"
#include "apps/live/config/live_config.h"
#include "apps/live/engine/live_programs.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/process/service_over_http.h"

namespace sotto::testing {

using namespace sotto::apps::live;

using apps::live::LiveConfig;
using KeptWords = std::vector<std::uint64_t>;

inline const Words kept_roles{"party_0", "party_1", "dealer", "actor", "rewarder"};

// A service in which each event has the parties' default rows.
class KeptService {
 public:
  KeptService(const TestFolder& folder, const std::string& name, const std::function<void(LiveConfig&)>& own = {})
      : folder_(folder), name_(name) {
    for (LiveConfig& config : apps::live::local_service(service_of_default_rows(), folder.path())) {
      const std::string role = config.role_key();
      config.state = folder.path() / (name + "-" + role);
      if (config.role_word == "party") config.columns = columns("x,-1,1,0.3\ny,-1,1,0.2\n");
      if (own) own(config);
      configs_.emplace(role, std::move(config));
    }
  }
  ~KeptService() { end(); }
  KeptService(const KeptService&) = delete;
  KeptService& operator=(const KeptService&) = delete;

  [[nodiscard]] LiveConfig& config(const std::string& role) { return configs_.at(role); }
  [[nodiscard]] fs::path columns(const std::string& rows) const {
    return folder_.write(name_ + std::to_string(rows.size()) + ".csv", "name,low,high,default\n" + rows);
  }
  [[nodiscard]] fs::path config_file(const std::string& role) const {
    return folder_.write(name_ + "-" + role + ".toml", to_toml(configs_.at(role)));
  }
  [[nodiscard]] Words command(const std::string& role, const Words& flags) const {
    return joined({"serve", "--config", config_file(role).string()}, flags);
  }
  void start(const std::map<std::string, Words>& flags = {}) {
    for (const std::string& role : kept_roles) {
      const auto own = flags.find(role);
      processes_[role] =
          std::make_unique<SottoProcess>(folder_, command(role, own == flags.end() ? Words{} : own->second));
    }
    for (const std::string& role : kept_roles) EXPECT_EQ(call(role, "GET", "/readyz").status, 200U) << role;
  }
  void end() {
    for (auto& [role, process] : processes_) process->signal(SIGTERM);
    for (auto& [role, process] : processes_) EXPECT_EQ(process->wait(), 0) << process->err();
    processes_.clear();
  }
  [[nodiscard]] SottoProcess& process(const std::string& role) { return *processes_.at(role); }
  void end_one(const std::string& role) {
    process(role).signal(SIGTERM);
    EXPECT_EQ(process(role).wait(), 0) << process(role).err();
  }
  void start_one(const std::string& role, const Words& flags = {}) {
    processes_[role] = std::make_unique<SottoProcess>(folder_, command(role, flags));
    for (const std::string& each : kept_roles) EXPECT_EQ(call(each, "GET", "/readyz").status, 200U) << each;
  }
  void reload(const std::string& role, const std::string& says) {
    (void)config_file(role);
    process(role).signal(SIGHUP);
    process(role).wait_for(says);
  }
  [[nodiscard]] std::string told(const std::string& role, const Words& flags) const {
    SottoProcess process(folder_, command(role, flags));
    EXPECT_EQ(process.wait(), 0) << process.err();
    return process.out();
  }

  [[nodiscard]] HttpResult call(const std::string& role, const std::string& method, const std::string& path,
                                const std::string& body = "") {
    return ask_until_told(io_, configs_.at(role), *processes_.at(role), method, path, body);
  }
  [[nodiscard]] json status(const std::string& role) { return json::parse(call(role, "GET", "/v1/status").body); }
  [[nodiscard]] HttpResult decide(unsigned event) {
    return call("actor", "POST", "/v1/decisions", R"({"event":")" + id_of(event) + "\"}");
  }
  void learn(unsigned first, unsigned count) {
    // A status may be older than the last answer.
    const std::uint64_t learned = status("actor")["learned"].get<std::uint64_t>() + count;
    for (unsigned event = first; event < first + count; ++event) {
      const HttpResult told = decide(event);
      ASSERT_EQ(told.status, 200U) << told.body;
      told_[event] = told.body;
    }
    for (json now = status("actor"); now["pending"] != 0 || now["learned"] != learned; now = status("actor")) {
      processes_.at("actor")->look_again();
    }
  }
  void expect_told_stays_told() {
    for (const auto& [event, body] : told_) EXPECT_EQ(decide(event).body, body);
  }

  [[nodiscard]] std::string log(const std::string& role) const { return processes_.at(role)->err(); }
  [[nodiscard]] json answer_of(unsigned event) const { return json::parse(told_.at(event)); }
  [[nodiscard]] std::string problem(const std::string& role, const std::string& method, const std::string& path,
                                    const std::string& body) {
    const HttpResult told = call(role, method, path, body);
    return std::to_string(told.status) + " " + (told.body.empty() ? "" : json::parse(told.body).value("type", ""));
  }
  [[nodiscard]] static std::string reward_of(unsigned event) { return "/v1/events/" + id_of(event) + "/reward"; }

  // The sums A and b of all parties together, read from the stores of roles that are not running.
  struct Sums {
    KeptWords gram, targets;
  };
  [[nodiscard]] Sums sums() const {
    Sums sums;
    for (const char* const role : {"party_0", "party_1"}) {
      const LiveConfig& own = configs_.at(role);
      const apps::live::LiveStore store(own.state, apps::live::live_identity(own), apps::live::live_key(own));
      std::vector<std::byte> newest;
      store.each(apps::live::LiveTable::models, [&](const apps::live::RowKey&, const apps::live::LiveRow& row) {
        newest = row;
        return true;
      });
      ByteReader in(newest);
      add(sums.gram, in.numbers<std::uint64_t>());
      (void)in.numbers<std::uint64_t>();
      add(sums.targets, in.numbers<std::uint64_t>());
    }
    return sums;
  }
  [[nodiscard]] apps::bandit::BatchPlan plan(std::vector<std::size_t> columns) const {
    const LiveConfig& any = configs_.at("actor");
    return plan_batches(apps::live::live_parameters(any, std::move(columns)), any.live.largest_batch(), false);
  }

 private:
  static std::string id_of(unsigned event) {
    const std::string digits = std::to_string(event);
    return std::string(32 - digits.size(), '0') + digits;
  }
  static void add(KeptWords& to, const KeptWords& words) {
    to.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) to[i] += words[i];
  }

  const TestFolder& folder_;
  std::string name_;
  net::Io io_;
  std::map<std::string, LiveConfig> configs_;
  std::map<std::string, std::unique_ptr<SottoProcess>> processes_;
  std::map<unsigned, std::string> told_;
};

// The index of the entry (i, j), i <= j, in the upper triangle of a d x d matrix that is stored row by row.
inline std::size_t at_triangle(std::size_t d, std::size_t i, std::size_t j) {
  std::size_t entry = j - i;
  for (std::size_t row = 0; row < i; ++row) entry += d - row;
  return entry;
}

}  // namespace sotto::testing
