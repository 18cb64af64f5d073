#include "sotto/apps/kit/deploy/local_processes.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "sotto/apps/kit/deploy/role_keys.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/kit/process/child_process.h"
#include "sotto/apps/kit/process/process_group.h"
#include "sotto/apps/kit/process/progress_pipe.h"
#include "sotto/net/transport/tcp/listener.h"

namespace sotto::apps {
namespace {

// Keys for this run alone, of roles that have none yet.
void give_keys(const std::vector<RoleSettings*>& roles, const std::filesystem::path& folder) {
  if (roles.front()->insecure_plaintext || !roles.front()->key.empty()) return;
  const std::map<std::string, std::string> trust = make_local_keys(*roles.front(), folder);
  for (RoleSettings* config : roles) {
    config->trust = trust;
    config->key = key_file(folder, config->role_key());
  }
}

// Sockets of the roles that listen, which the configs then name.
std::map<std::string, Descriptor> bind_all(const std::vector<RoleSettings*>& roles) {
  std::map<std::string, Descriptor> listeners;
  std::map<std::string, std::string> peers;
  for (const std::string& key : listening_roles(*roles.front())) {
    net::TcpListener listener(net::Address{"127.0.0.1", 0});
    peers[key] = listener.address().text();
    listeners.emplace(key, Descriptor(listener.release()));
  }
  for (RoleSettings* config : roles) config->peers = peers;
  return listeners;
}

class LocalRoles {
 public:
  LocalRoles(const LocalProcesses& processes, const std::atomic<bool>& interrupted)
      : processes_(processes), group_(processes.program, interrupted) {
    give_keys(processes_.roles, folder_.path());
    listeners_ = bind_all(processes_.roles);
    for (RoleSettings* config : processes_.roles) {
      config->report = folder_.path() / (config->role_key() + ".json");
    }
    if (processes_.in_folder) processes_.in_folder(folder_.path());
  }

  void run(const std::function<void(const ProgressState&)>& progress) {
    for (const RoleSettings* config : processes_.roles) start(*config);
    pipe_.close_writing_end();
    const auto look = [&] {
      const auto state = pipe_.take(processes_.steps);
      if (state && progress) progress(*state);
    };
    group_.wait(look, [this] { return pipe_.wake(); });
  }

 private:
  void start(const RoleSettings& config) {
    const std::string key = config.role_key();
    const std::filesystem::path file = folder_.path() / (key + ".toml");
    write_file(file, to_toml(config));
    // What is in the environment is not meant for the roles of a run that has its own flags.
    std::vector<std::string> arguments = config.command();
    arguments.insert(arguments.end(), {"--config", file.string(), "--ignore-variables"});
    for (const std::string& flag : processes_.flags(config)) arguments.push_back(flag);
    std::vector<int> descriptors;
    const auto inherit = [&](const char* flag, int descriptor) {
      descriptors.push_back(descriptor);
      arguments.insert(arguments.end(), {flag, std::to_string(descriptor)});
    };
    const auto listener = listeners_.find(key);
    if (listener != listeners_.end()) inherit("--listen-descriptor", listener->second.get());
    if (processes_.tells_progress(config)) inherit("--progress-descriptor", pipe_.writing_end());
    group_.start(config.name(), arguments, descriptors);
    if (listener != listeners_.end()) listeners_.erase(listener);
  }

  const LocalProcesses& processes_;
  PrivateFolder folder_;
  ProgressPipe pipe_;
  std::map<std::string, Descriptor> listeners_;
  ProcessGroup group_;  // ended before what it uses
};

}  // namespace

void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect) {
  LocalRoles local(processes, interrupted);
  local.run(progress);
  collect();
}

}  // namespace sotto::apps
