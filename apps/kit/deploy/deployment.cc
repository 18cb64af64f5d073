#include "sotto/apps/kit/deploy/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sotto/apps/kit/deploy/config_text.h"
#include "sotto/apps/kit/deploy/readme.h"
#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/kit/program/near_name.h"
#include "sotto/apps/kit/settings/keys.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/transport/tcp/address.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {
namespace {

// People start their roles one after the other.
constexpr double time_to_start = 300;

// As far as the text alone says: the machine of `sotto init` need not know the names.
bool says_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::map<std::string, std::string> addresses(const DeploymentOptions& options) {
  const std::vector<std::string> names = listening_roles(options.run);
  std::map<std::string, std::string> peers;
  unsigned port = first_default_port;
  for (const std::string& name : names) peers[name] = fmt::format("localhost:{}", port++);
  if (options.hosts.empty()) return peers;
  for (const auto& [name, host] : options.hosts) {
    if (peers.contains(name)) continue;
    throw InputError(
        "--host",
        fmt::format("a run of {} {} has no role '{}' that listens{}", options.run.parties,
                    options.run.o3m ? "participants" : "parties", name, did_you_mean(name, names)));
  }
  for (const std::string& name : names) {
    if (!options.hosts.contains(name)) {
      throw InputError("--host",
                       fmt::format("{0} has no address; name one for each role that listens, "
                                   "--host {0}=HOST:PORT",
                                   name));
    }
  }
  return options.hosts;
}

void require_addresses_that_differ(const std::map<std::string, std::string>& peers) {
  std::map<std::string, std::string> roles;
  for (const auto& [role, text] : peers) {
    const auto [other, alone] =
        roles.emplace(net::parse_address(text, "--host " + role).text(), role);
    if (!alone) {
      throw InputError("--host " + role,
                       fmt::format("{} is the address of {} too", text, other->second));
    }
  }
}

// A name may stand for an address that only others see, so the role binds all interfaces.
std::string listening_address(const std::string& peer) {
  const net::Address address = net::parse_address(peer, "--host");
  if (says_loopback(address.host)) return {};
  const bool v6 = address.host.find(':') != std::string::npos;
  return net::Address{v6 ? "::" : "0.0.0.0", address.port}.text();
}

// The files of the folder that the role reads.
void name_files(RoleConfig& config) {
  const RunConfig& run = config.run;
  switch (config.role) {
    case Role::party:
      config.data = "data.csv";
      return;
    case Role::active:
      config.environment = "environment.csv";
      config.contexts = "contexts.csv";
      return;
    case Role::passive:
      config.contexts = "contexts.csv";
      return;
    case Role::actor:
    case Role::rewarder:
      if (config.role == Role::rewarder || !run.separate_rewarder) {
        config.environment = "environment.csv";
      }
      // Beside the folders of both.
      if (run.separate_rewarder) config.arm_socket = "../arms";
      return;
    default:
      return;
  }
}

RoleConfig plan_role(const RoleConfig& base, const RunRole& role) {
  RoleConfig config = base;
  config.role = role.role;
  config.id = role.id;
  config.report = "report.json";
  if (!config.run.insecure_plaintext) config.key = "key.pem";
  if (config.run.checkpoint_every > 0) config.state = "state";
  if (role.listens) config.listen = listening_address(config.peers.at(role.key));
  name_files(config);
  return config;
}

// Widths depend on bounds that are announced later; what no data can make right is refused now.
void refuse_what_cannot_run(const RunConfig& run) {
  const std::vector<std::size_t> columns(run.parties, 1);
  const std::vector<double> bounds(run.parties, 1 / static_cast<double>(run.parties));
  if (run.o3m) {
    (void)plan_o3m(o3m_parameters(run, columns, bounds));
  } else {
    (void)plan_bandit(bandit_parameters(run, columns, bounds));
  }
}

// Takes back what was made, unless all went well.
class Undo {
 public:
  Undo() = default;
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    std::error_code ignored;
    for (const std::filesystem::path& path : made_) std::filesystem::remove_all(path, ignored);
  }
  void add(std::filesystem::path path) { made_.push_back(std::move(path)); }
  void keep_all() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;
};

void require_nothing_at(const std::filesystem::path& out) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(out, error))) return;
  if (std::filesystem::is_directory(out, error) && std::filesystem::is_empty(out, error)) return;
  throw InputError("--out", fmt::format("{} exists already and is not an empty folder; name "
                                        "another, nothing is ever overwritten",
                                        out.string()));
}

// Every role's key, made here, in its folder.
std::map<std::string, std::string> make_keys(const std::vector<RoleConfig>& roles,
                                             const std::filesystem::path& out) {
  std::map<std::string, std::string> trust;
  for (const RoleConfig& role : roles) {
    const net::Identity identity = net::Identity::create(folder_name(role));
    identity.write(out / folder_name(role) / role.key);
    trust[folder_name(role)] = identity.fingerprint();
  }
  return trust;
}

}  // namespace

std::string folder_name(const RoleConfig& config) { return peer_key(config.role, config.id); }

void add_host(const std::string& argument, std::map<std::string, std::string>& hosts) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--host", fmt::format("'{}' is not ROLE=HOST:PORT, such as "
                                           "party_0=sotto.example.org:7100",
                                           argument));
  }
  const std::string role = argument.substr(0, equals);
  if (find_key("trust", role) != nullptr && find_key("peers", role) == nullptr) {
    throw InputError("--host", fmt::format("the {} only connects, and needs no address",
                                           role == "mask_generator" ? "mask generator" : role));
  }
  const net::Address address = net::parse_address(argument.substr(equals + 1), "--host " + role);
  if (!hosts.emplace(role, address.text()).second) {
    throw InputError("--host", fmt::format("{} is given twice", role));
  }
}

std::vector<RoleConfig> plan_deployment(const DeploymentOptions& options) {
  RoleConfig base;
  base.run = options.run;
  base.run.session = fresh_session();
  base.peers = addresses(options);
  require_addresses_that_differ(base.peers);
  base.connect_deadline_seconds = time_to_start;
  refuse_what_cannot_run(options.run);
  std::vector<RoleConfig> roles;
  for (const RunRole& role : run_roles(base.run)) roles.push_back(plan_role(base, role));
  return roles;
}

void write_deployment(std::vector<RoleConfig> roles, const std::filesystem::path& out) {
  require_nothing_at(out);
  Undo undo;
  if (!std::filesystem::exists(out)) {
    undo.add(out);
    make_private_folder(out);
  } else {
    std::filesystem::permissions(out, std::filesystem::perms::owner_all);
  }
  for (const RoleConfig& role : roles) {
    undo.add(out / folder_name(role));
    make_private_folder(out / folder_name(role));
  }
  if (roles.front().run.insecure_shared_keys) {
    const std::map<std::string, std::string> trust = make_keys(roles, out);
    for (RoleConfig& role : roles) role.run.trust = trust;
  }
  for (const RoleConfig& role : roles) {
    write_file(out / folder_name(role) / "config.toml", commented_config(role));
    write_file(out / folder_name(role) / "README.txt", readme(role));
  }
  undo.keep_all();
}

}  // namespace sotto::apps
