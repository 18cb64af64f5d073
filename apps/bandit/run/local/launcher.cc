#include "apps/bandit/run/local/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/role/role_state.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/deploy/role_process.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::bandit::run {
namespace {

LaunchOutcome gather(const std::vector<BanditSettings>& roles) {
  LaunchOutcome outcome;
  for (const BanditSettings& role : roles) {
    outcome.reports.push_back(read_role_report(role.report));
    outcome.loop_seconds = std::max(outcome.loop_seconds, outcome.reports.back().online_seconds);
  }
  return outcome;
}

namespace fs = std::filesystem;

fs::path config_file(const fs::path& folder) { return folder / "config.toml"; }
fs::path key_file_in(const fs::path& folder) { return folder / "key.pem"; }

void refuse_used(const fs::path& folder) {
  if (!file_exists(folder)) return;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(folder.string(), "is no folder: move it away, or choose another --out");
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) throw InputError(folder.string(), "cannot be read: " + error.message());
  if (empty) return;
  throw InputError(folder.string(),
                   "holds the state of a run already: resume it with `sotto bandit --resume`, or choose another --out; "
                   "where that finds no state, remove this folder");
}

// The folder in which a state is made. If a process is killed, this folder remains, and the next process empties it.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& whole) : whole_(whole), path_(whole) {
    path_ += ".new";
    make_private_folder(path_);
    descriptor_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    // If the file system cannot lock files, flock() fails with another error, and the process continues without the
    // lock.
    if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) refuse();
    struct stat locked {};
    struct stat named {};
    if (::fstat(descriptor_.get(), &locked) != 0 || ::stat(path_.c_str(), &named) != 0 ||
        locked.st_ino != named.st_ino) {
      refuse();  // another process has renamed the locked folder
    }
    const std::vector<fs::directory_entry> left(fs::directory_iterator(path_), {});
    for (const fs::directory_entry& entry : left) fs::remove_all(entry.path());
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder() {
    std::error_code ignored;
    if (!finished_) fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

  void finish() {
    if (::rename(path_.c_str(), whole_.c_str()) != 0) {
      const int error = errno;
      refuse_used(whole_);
      throw ResourceError(fmt::format("{}: the folder cannot be made here: {}", whole_.string(),
                                      std::generic_category().message(error)));
    }
    finished_ = true;
  }

 private:
  [[noreturn]] void refuse() const {
    throw ResourceError(fmt::format(
        "{}: another process begins a run here: wait until it has ended, or choose another --out", whole_.string()));
  }

  fs::path whole_;
  fs::path path_;
  Descriptor descriptor_;
  bool finished_ = false;
};

}  // namespace

LaunchOutcome launch_local_run(const LocalRun& run, const std::function<void(const ProgressState&)>& progress,
                               const std::atomic<bool>& interrupted) {
  std::vector<BanditSettings> roles = run.state.empty() ? local_roles(run) : read_local_state(run.state);
  const auto has_environment = [](const RoleSettings& role) {
    return gets_rewards(static_cast<const BanditSettings&>(role));
  };
  std::vector<std::string> flags;
  if (!run.state.empty()) flags.emplace_back("--resume");
  const auto in_folder = [&](const std::filesystem::path& folder) {
    for (BanditSettings& role : roles) {
      if (role.separate_rewarder) role.arm_socket = folder / "arms";
    }
  };
  const LocalProcesses processes{pointers_to(roles), roles.front().steps, has_environment, run.record_arms, flags,
                                 in_folder,          run.program};
  LaunchOutcome outcome;
  run_local_processes(processes, progress, interrupted, [&] { outcome = gather(roles); });
  return outcome;
}

std::vector<BanditSettings> local_roles(const LocalRun& local) {
  const BanditSettings& run = local.run;
  std::vector<BanditSettings> roles;
  const auto add = [&](BanditRole role, std::size_t id) {
    BanditSettings config = run;
    config.set_role(role, id);
    if (role != BanditRole::actor) config.segment.clear();
    roles.push_back(std::move(config));
  };
  if (run.topology().has_dealer()) add(BanditRole::dealer, 0);
  if (run.topology().has_helper()) add(BanditRole::helper, 0);
  for (std::size_t id = 0; id < run.parties; ++id) {
    add(BanditRole::party, id);
    if (local.world.empty()) {
      if (brings_features(roles.back())) roles.back().data = fs::absolute(local.data.at(id));
      if (!local.from.empty()) roles.back().from = fs::absolute(party_state(local.from, id));
    } else {
      roles.back().world = local.world;
      roles.back().columns = local.columns.at(id);
    }
  }
  for (std::size_t id = 0; id < run.owners; ++id) {
    add(BanditRole::owner, id);
    roles.back().data = fs::absolute(local.data.at(run.parties - run.computing_only + id));
  }
  add(BanditRole::actor, 0);
  roles.back().delay = local.pull_delay;
  if (run.separate_rewarder) {
    add(BanditRole::rewarder, 0);
    roles.back().delay = local.reward_delay;
  }
  if (!local.log.empty()) {
    roles.back().log = fs::absolute(local.log);
  } else if (local.world.empty()) {
    roles.back().environment = fs::absolute(local.environment);
  } else {
    roles.back().world = local.world;
  }
  return roles;
}

void create_local_state(const fs::path& folder, std::vector<BanditSettings> roles,
                        const std::function<void(const fs::path&)>& add) {
  refuse_used(folder);
  UnfinishedFolder unfinished(folder);
  std::map<std::string, std::string> trust;
  std::map<std::string, std::string> peers;
  for (BanditSettings& config : roles) {
    const std::string name = config.role_key();
    config.state = fs::absolute(folder) / name;
    config.key = key_file_in(config.state);
    make_private_folder(unfinished.path() / name);
    const net::Identity identity = net::Identity::create(name);
    identity.write(key_file_in(unfinished.path() / name));
    trust[name] = identity.fingerprint();
    // The launcher later replaces this port by a free port.
    if (config.own_role().listens) {
      peers[name] = fmt::format("127.0.0.1:{}", peers.size() + 1);
    }
  }
  for (BanditSettings& config : roles) {
    if (!config.insecure_plaintext) config.trust = trust;
    if (config.separate_rewarder) config.arm_socket = config.state.parent_path() / "arms";
    config.peers = peers;
    const fs::path now = unfinished.path() / config.role_key();
    const fs::path file = config_file(now);
    write_file(file, to_toml(config));
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    BanditSettings made = config;
    made.state = now;
    made.key = key_file_in(now);
    create_role_store(made, made, made, made);
  }
  if (add) add(unfinished.path());
  unfinished.finish();
}

std::vector<BanditSettings> read_local_state(const fs::path& folder) {
  const char* first = file_exists(config_file(folder / "dealer")) ? "dealer" : "party_0";
  std::vector<BanditSettings> roles{read_role_config<BanditSettings>(config_file(folder / first))};
  for (const std::string& name : role_names(roles.front())) {
    if (name == roles.front().role_key()) continue;
    roles.push_back(read_role_config<BanditSettings>(config_file(folder / name)));
  }
  return roles;
}

bool local_state_complete(const std::vector<BanditSettings>& roles) {
  return std::all_of(roles.begin(), roles.end(), [](BanditSettings config) {
    config.resume = true;
    return RoleState(config, config, config, config).complete();
  });
}

}  // namespace sotto::apps::bandit::run
