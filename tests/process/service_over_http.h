#pragma once

#include <sys/stat.h>

#include <csignal>

#include "apps/kit/http/client.h"
#include "apps/live/serve/served_role.h"
#include "tests/process/role_runs.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {

// The config of a service of two parties, or of three that make randomness in pairs. The service learns a batch after
// one second. Roles to which other roles connect have their own ports.
inline apps::live::LiveConfig service_of_three_arms(RandomnessBy preprocessing = RandomnessBy::dealer) {
  apps::live::LiveConfig config;
  config.session = apps::fresh_session();
  config.preprocessing = preprocessing;
  config.parties = preprocessing == RandomnessBy::replicated ? 3 : 2;
  config.steps = 100'000;
  config.live.arms = {"red", "green", "blue"};
  config.live.baseline_arm = 0;
  config.live.reward_wait = 1000;
  config.live.batch_sizes = {1, 8};
  config.live.decision_deadline = 60'000;
  config.round_deadline_seconds = 20;
  for (const apps::RunRole& role : config.roles()) {
    if (role.listens) config.peers[role.key] = Ports::take();
  }
  return config;
}

// The config of a service that waits for no features and drops no event. An event without a reward is learned with
// reward 1.
inline apps::live::LiveConfig service_of_default_rows(RandomnessBy preprocessing = RandomnessBy::dealer) {
  apps::live::LiveConfig config = service_of_three_arms(preprocessing);
  config.live.cut_off = 0;
  config.live.decision_deadline = 3'600'000;
  config.live.default_reward = 1;
  return config;
}

using apps::HttpClient;
using apps::HttpResult;

inline const std::string one_event = "5f0c1e2d3b4a59687786a5b4c3d2e1f0";

inline HttpResult ask_once(net::Io& io, const apps::live::LiveConfig& role, const std::string& method,
                           const std::string& path, const std::string& body, const std::string& token = "") {
  HttpClient client(io, {apps::parse_listen(role.http_listen, role.role_key())});
  std::optional<HttpResult> result;
  const char* const kind = path.ends_with(":batch") ? "application/x-ndjson" : "application/json";
  std::string headers = body.empty() ? "" : "Content-Type: " + std::string(kind) + "\r\n";
  if (!token.empty()) headers += "Authorization: Bearer " + token + "\r\n";
  client.ask(method, path, headers, body, net::Clock::now() + std::chrono::seconds(60),
             [&](HttpResult&& come) { result = std::move(come); });
  while (!result) io.run_for(std::chrono::milliseconds(10));
  return *result;
}

inline HttpResult ask_until_told(net::Io& io, const apps::live::LiveConfig& role, const SottoProcess& process,
                                 const std::string& method, const std::string& path, const std::string& body) {
  const auto end = net::Clock::now() + std::chrono::seconds(120);
  for (;;) {
    HttpResult result = ask_once(io, role, method, path, body);
    if ((result.failure.empty() && result.status != 503) || net::Clock::now() > end) return result;
    process.look_again();
  }
}

class ServiceOverHttp {
 public:
  using Own = std::function<void(apps::live::LiveConfig&)>;
  using Around = std::function<Surroundings(const apps::live::LiveConfig&)>;
  [[nodiscard]] Words roles() const {
    Words roles;
    for (const auto& [role, config] : configs_) roles.push_back(role);
    return roles;
  }
  explicit ServiceOverHttp(
      const TestFolder& folder, const Own& own = [](apps::live::LiveConfig&) {},
      Around around = [](const apps::live::LiveConfig&) { return Surroundings{}; },
      RandomnessBy preprocessing = RandomnessBy::dealer)
      : folder_(folder), around_(std::move(around)) {
    const apps::live::LiveConfig common = service_of_three_arms(preprocessing);
    addresses_ = common.peers;
    for (apps::live::LiveConfig& config : apps::live::local_service(common, folder.path())) {
      const std::string role = config.role_key();
      if (config.role_word == "party") {
        config.columns = folder.write("columns.csv", "name,low,high,default\nx,-0.5,0.5,0.25\n");
      }
      own(config);
      folder.write(role + ".toml", to_toml(config));
      configs_.emplace(role, std::move(config));
      start(role);
    }
  }
  ~ServiceOverHttp() {
    for (auto& [role, process] : processes_) process->signal(SIGTERM);
    for (auto& [role, process] : processes_) expect_ended(*process);
  }
  ServiceOverHttp(const ServiceOverHttp&) = delete;
  ServiceOverHttp& operator=(const ServiceOverHttp&) = delete;

  void start(const std::string& role) {
    processes_[role] = std::make_unique<SottoProcess>(
        folder_, Words{"serve", "--config", (folder_.path() / (role + ".toml")).string()}, around_(configs_.at(role)));
  }
  void kill(const std::string& role) {
    processes_.at(role)->signal(SIGKILL);
    EXPECT_EQ(processes_.at(role)->wait(), 1000 + SIGKILL);
  }
  void end(const std::string& role) {
    processes_.at(role)->signal(SIGTERM);
    expect_ended(*processes_.at(role));
  }
  void change(const std::string& role, const Own& own) {
    own(configs_.at(role));
    folder_.write(role + ".toml", to_toml(configs_.at(role)));
  }
  [[nodiscard]] const std::map<std::string, std::string>& addresses() const { return addresses_; }
  [[nodiscard]] SottoProcess& take(const std::string& role) { return *processes_.at(role); }
  [[nodiscard]] const SottoProcess& process(const std::string& role) const { return *processes_.at(role); }

  [[nodiscard]] HttpResult try_once(const std::string& role, const std::string& method, const std::string& path,
                                    const std::string& body = "", const std::string& token = "") {
    return ask_once(io, configs_.at(role), method, path, body, token);
  }
  [[nodiscard]] HttpResult call(const std::string& role, const std::string& method, const std::string& path,
                                const std::string& body = "") {
    return ask_until_told(io, configs_.at(role), process(role), method, path, body);
  }
  [[nodiscard]] HttpResult decide(const std::string& event) {
    return call("actor", "POST", "/v1/decisions", R"({"event":")" + event + "\"}");
  }

  net::Io io;

 private:
  // A role that has just been started may not yet catch the signal.
  static void expect_ended(SottoProcess& process) {
    EXPECT_THAT(process.wait(), ::testing::AnyOf(0, 1000 + SIGTERM)) << process.err();
  }

  const TestFolder& folder_;
  Around around_;
  std::map<std::string, std::string> addresses_;
  std::map<std::string, apps::live::LiveConfig> configs_;
  std::map<std::string, std::unique_ptr<SottoProcess>> processes_;
};

}  // namespace sotto::testing
