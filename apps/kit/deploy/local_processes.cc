#include "sotto/apps/kit/deploy/local_processes.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "sotto/apps/kit/deploy/role_keys.h"
#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/kit/process/child_process.h"
#include "sotto/apps/kit/process/process_group.h"
#include "sotto/apps/kit/process/progress_pipe.h"
#include "sotto/net/transport/tcp/listener.h"

namespace sotto::apps {
namespace {

// Keys for this run alone, of roles that have none yet.
void give_keys(std::vector<RoleConfig>& roles, const std::filesystem::path& folder) {
  if (roles.front().run.insecure_plaintext || !roles.front().key.empty()) return;
  const std::map<std::string, std::string> trust = make_local_keys(roles.front().run, folder);
  for (RoleConfig& config : roles) {
    config.run.trust = trust;
    config.key = key_file(folder, own_role(config).key);
  }
}

// Sockets of the roles that listen, which the configs then name.
std::map<std::string, Descriptor> bind_all(std::vector<RoleConfig>& roles) {
  std::map<std::string, Descriptor> listeners;
  std::map<std::string, std::string> peers;
  for (const std::string& key : listening_roles(roles.front().run)) {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    peers[key] = listener.address().text();
    listeners.emplace(key, Descriptor(listener.release()));
  }
  for (RoleConfig& config : roles) config.peers = peers;
  return listeners;
}

class LocalRoles {
 public:
  LocalRoles(const LocalProcesses& processes, const std::atomic<bool>& interrupted)
      : processes_(processes), roles_(processes.roles), group_(processes.program, interrupted) {
    give_keys(roles_, folder_.path());
    listeners_ = bind_all(roles_);
    for (RoleConfig& config : roles_) {
      config.report = folder_.path() / (own_role(config).key + ".json");
      if (config.run.separate_rewarder) config.arm_socket = folder_.path() / "arms";
    }
  }

  void run(const std::function<void(const ProgressState&)>& progress) {
    for (const RoleConfig& config : roles_) start(config);
    pipe_.close_writing_end();
    const std::uint64_t steps = roles_.front().run.steps;
    const auto look = [&] {
      const auto state = pipe_.take(steps);
      if (state && progress) progress(*state);
    };
    group_.wait(look, [this] { return pipe_.wake(); });
  }

  [[nodiscard]] const std::vector<RoleConfig>& roles() const { return roles_; }

 private:
  void start(const RoleConfig& config) {
    const std::string key = own_role(config).key;
    const std::filesystem::path file = folder_.path() / (key + ".toml");
    write_file(file, to_toml(config));
    // What is in the environment is not meant for the roles of a run that has its own flags.
    std::vector<std::string> arguments = role_command(config);
    arguments.insert(arguments.end(), {"--config", file.string(), "--ignore-variables"});
    if (config.resume) arguments.emplace_back("--resume");
    std::vector<int> descriptors;
    const auto inherit = [&](const char* flag, int descriptor) {
      descriptors.push_back(descriptor);
      arguments.insert(arguments.end(), {flag, std::to_string(descriptor)});
    };
    const auto listener = listeners_.find(key);
    if (listener != listeners_.end()) inherit("--listen-descriptor", listener->second.get());
    if (!config.environment.empty()) {
      inherit("--progress-descriptor", pipe_.writing_end());
      arguments.insert(arguments.end(), processes_.environment_flags.begin(),
                       processes_.environment_flags.end());
    }
    group_.start(config.name(), arguments, descriptors);
    if (listener != listeners_.end()) listeners_.erase(listener);
  }

  const LocalProcesses& processes_;
  std::vector<RoleConfig> roles_;
  PrivateFolder folder_;
  ProgressPipe pipe_;
  std::map<std::string, Descriptor> listeners_;
  ProcessGroup group_;  // ended before what it uses
};

}  // namespace

void run_local_processes(const LocalProcesses& processes,
                         const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted,
                         const std::function<void(const std::vector<RoleConfig>&)>& collect) {
  LocalRoles local(processes, interrupted);
  local.run(progress);
  collect(local.roles());
}

}  // namespace sotto::apps
