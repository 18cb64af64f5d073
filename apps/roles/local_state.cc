#include "apps/roles/local_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/data/atomic_file.h"
#include "apps/roles/role_keys.h"
#include "apps/roles/role_state.h"
#include "apps/roles/run_roles.h"
#include "apps/state/private_path.h"
#include "core/error/errors.h"
#include "net/tls/identity.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

std::string key_of(const RoleConfig& config) { return peer_key(config.role, config.id); }
fs::path config_file(const fs::path& folder) { return folder / "config.toml"; }

}  // namespace

std::vector<RoleConfig> local_roles(const LocalRun& local) {
  const RunConfig& run = local.run;
  std::vector<RoleConfig> roles;
  const auto add = [&](Role role, std::size_t id) {
    RoleConfig config;
    config.run = run;
    config.role = role;
    config.id = id;
    roles.push_back(std::move(config));
  };
  add(Role::dealer, 0);
  for (std::size_t id = 0; id < run.parties; ++id) {
    add(Role::party, id);
    roles.back().data = fs::absolute(local.data.at(id));
  }
  add(Role::actor, 0);
  roles.back().delay = local.pull_delay;
  if (run.separate_rewarder) {
    add(Role::rewarder, 0);
    roles.back().delay = local.reward_delay;
  }
  roles.back().environment = fs::absolute(local.environment);
  return roles;
}

void create_local_state(const fs::path& folder, std::vector<RoleConfig> roles) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw InputError(folder.string(),
                     "holds the state of a run already: resume it with `sotto bandit --resume`, or "
                     "choose another --out");
  }
  make_private_folder(folder);
  fs::permissions(folder, fs::perms::owner_all, error);
  std::map<std::string, std::string> trust;
  std::map<std::string, std::string> peers;
  for (RoleConfig& config : roles) {
    const std::string name = key_of(config);
    config.state = fs::absolute(folder) / name;
    config.key = config.state / "key.pem";
    make_private_folder(config.state);
    const net::Identity identity = net::Identity::create(name);
    identity.write(config.key);
    trust[name] = identity.fingerprint();
    // Who starts the roles gives each a port that is free then.
    if (config.role == Role::dealer || config.role == Role::party) {
      peers[name] = fmt::format("127.0.0.1:{}", peers.size() + 1);
    }
  }
  for (RoleConfig& config : roles) {
    if (!config.run.insecure_plaintext) config.run.trust = trust;
    if (config.run.separate_rewarder) config.arm_socket = config.state.parent_path() / "arms";
    config.peers = peers;
    const fs::path file = config_file(config.state);
    write_file(file, to_toml(config));
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    create_role_store(config);
  }
}

std::vector<RoleConfig> read_local_state(const fs::path& folder) {
  std::vector<RoleConfig> roles{read_role_config(config_file(folder / peer_key(Role::dealer, 0)))};
  for (const std::string& name : role_names(roles.front().run)) {
    if (name == key_of(roles.front())) continue;
    roles.push_back(read_role_config(config_file(folder / name)));
  }
  return roles;
}

bool local_state_complete(const std::vector<RoleConfig>& roles) {
  return std::all_of(roles.begin(), roles.end(), [](RoleConfig config) {
    config.resume = true;
    return RoleState(config).complete();
  });
}

}  // namespace sotto::apps
