#include "bench/lab/measure/live_roles.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "apps/live/serve/served_role.h"
#include "bench/lab/measure/live_client.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

constexpr std::chrono::seconds ready_within{60};
constexpr std::chrono::seconds end_within{10};
constexpr std::chrono::milliseconds between_looks_at_roles{20};
constexpr std::uint64_t most_learned_events = 10'000'000;

// A config names it before the role listens there; nothing else of this machine asks for ports that were just given
// back.
std::string port_for_interface() { return net::TcpListener(net::Address{"127.0.0.1", 0}).address().text(); }

std::string columns_csv(std::size_t columns) {
  std::string text = "name,low,high,default\n";
  for (std::size_t i = 0; i < columns; ++i) text += fmt::format("column-{},-1,1,0\n", i);
  return text;
}

}  // namespace

LiveRoles::LiveRoles(const LiveTrial& trial, const std::atomic<bool>& interrupted)
    : columns_(even_columns(trial.parties, trial.features)), token_(fresh_session()) {
  const LiveConfig base = base_config(trial);
  base.check_plan();
  for (LiveConfig& config : local_service(base, folder_.path())) {
    roles_.push_back(config.role_key());
    start(std::move(config));
  }
  wait_until_ready(interrupted);
}

LiveRoles::~LiveRoles() {
  for (const auto& process : processes_) process->signal(SIGTERM);
  const auto end = std::chrono::steady_clock::now() + end_within;
  const auto runs = [](const auto& process) {
    process->poll();
    return !process->ended();
  };
  while (std::any_of(processes_.begin(), processes_.end(), runs) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(between_looks_at_roles);
  }
}

LiveConfig LiveRoles::base_config(const LiveTrial& trial) {
  LiveConfig base;
  base.session = fresh_session();
  base.parties = trial.parties;
  base.steps = most_learned_events;
  base.live.arms.reserve(trial.arms);
  for (std::size_t arm = 0; arm < trial.arms; ++arm) base.live.arms.push_back(fmt::format("arm-{}", arm));
  base.live.baseline_arm = 0;
  base.live.batch_sizes = trial.batch_sizes;
  base.live.reward_wait = trial.reward_wait;
  base.live.decision_deadline = trial.decision_deadline;
  base.link = trial.link;
  for (const std::string& role : listening_roles(base)) {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    base.peers[role] = listener.address().text();
    ports_.emplace(role, Descriptor(listener.release()));
  }
  return base;
}

void LiveRoles::start(LiveConfig config) {
  const std::string role = config.role_key();
  if (config.role() == BanditRole::party) {
    config.columns = folder_.path() / (role + "-columns.csv");
    write_file(config.columns, columns_csv(columns_.at(config.id)));
  }
  if (config.role() == BanditRole::actor) {
    config.http_listen = port_for_interface();
    config.http_token_file = folder_.path() / "token";
    (void)make_private_file(config.http_token_file);
    write_file(config.http_token_file, token_ + "\n");
    ::chmod(config.http_token_file.c_str(), S_IRUSR | S_IWUSR);
  }
  interfaces_.emplace(role, parse_listen(config.http_listen, "http.listen"));
  const std::filesystem::path file = folder_.path() / (role + ".toml");
  write_file(file, to_toml(config));
  std::vector<std::string> arguments = config.command();
  arguments.insert(arguments.end(), {"--config", file.string(), "--ignore-variables"});
  std::vector<int> descriptors;
  const Descriptor port = std::move(ports_[role]);
  if (port.get() >= 0) {
    descriptors.push_back(port.get());
    arguments.insert(arguments.end(), {"--listen-descriptor", std::to_string(port.get())});
  }
  processes_.push_back(std::make_unique<ChildProcess>(config.name(), "/proc/self/exe", arguments, descriptors));
}

std::string LiveRoles::authorization(const std::string& role) const {
  return role == "actor" ? fmt::format("Authorization: Bearer {}\r\n", token_) : "";
}

void LiveRoles::check() {
  for (const auto& process : processes_) {
    process->poll();
    if (!process->ended()) continue;
    throw Error(ExitCode::internal, fmt::format("{} of the measured service has ended: {}", process->name(),
                                                process->message().empty() ? "no message" : process->message()));
  }
}

void LiveRoles::wait_until_ready(const std::atomic<bool>& interrupted) {
  const auto end = std::chrono::steady_clock::now() + ready_within;
  for (const std::string& role : roles_) {
    LiveClient client(*this, role, interrupted);
    for (;;) {
      check();
      const HttpResult answer = client.call("GET", "/readyz");
      if (answer.failure.empty() && answer.status == 200) break;
      if (std::chrono::steady_clock::now() > end) {
        throw Error(ExitCode::internal, fmt::format("{} of the measured service is not ready within a minute: {}", role,
                                                    answer.failure.empty() ? answer.body : answer.failure));
      }
      std::this_thread::sleep_for(between_looks_at_roles);
    }
  }
}

}  // namespace sotto::apps::lab
