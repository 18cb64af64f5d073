#include "apps/init/deployment.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "apps/config/near_name.h"
#include "apps/data/atomic_file.h"
#include "apps/init/config_text.h"
#include "apps/init/readme.h"
#include "core/error/errors.h"
#include "net/tcp/address.h"
#include "net/tls/identity.h"

namespace sotto::apps {
namespace {

// People start their roles one after the other.
constexpr double time_to_start = 300;

std::vector<std::string> listening_roles(const RunConfig& run) {
  std::vector<std::string> names;
  for (std::size_t id = 0; id < run.parties; ++id) names.push_back(peer_key(Role::party, id));
  names.push_back(peer_key(Role::dealer, 0));
  return names;
}

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
    throw InputError("--host", fmt::format("a run of {} parties has no role '{}' that listens{}",
                                           options.run.parties, name, did_you_mean(name, names)));
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

RoleConfig plan_role(const RoleConfig& base, Role role, std::size_t id) {
  RoleConfig config = base;
  const RunConfig& run = config.run;
  config.role = role;
  config.id = id;
  config.report = "report.json";
  if (!run.insecure_plaintext) config.key = "key.pem";
  if (run.checkpoint_every > 0) config.state = "state";
  if (role == Role::party) config.data = "data.csv";
  if (role == Role::party || role == Role::dealer) {
    config.listen = listening_address(config.peers.at(peer_key(role, id)));
    return config;
  }
  if (role == Role::rewarder || !run.separate_rewarder) config.environment = "environment.csv";
  // Beside the folders of both.
  if (run.separate_rewarder) config.arm_socket = "../arms";
  return config;
}

void make_folder(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return;
  throw ResourceError(fmt::format("{}: the folder cannot be made: {}", path.string(),
                                  std::generic_category().message(errno)));
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

std::string spoken_name(const RoleConfig& config) {
  return (config.role == Role::party ? "" : "the ") + config.name();
}

void add_host(const std::string& argument, std::map<std::string, std::string>& hosts) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--host", fmt::format("'{}' is not ROLE=HOST:PORT, such as "
                                           "party_0=sotto.example.org:7100",
                                           argument));
  }
  const std::string role = argument.substr(0, equals);
  if (role == "actor" || role == "rewarder") {
    throw InputError("--host", fmt::format("the {} only connects, and needs no address", role));
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
  // Widths depend on bounds that are announced later; what no data can make right is refused now.
  const std::vector<double> bounds(options.run.parties,
                                   1 / static_cast<double>(options.run.parties));
  (void)plan_bandit(
      bandit_parameters(options.run, std::vector<std::size_t>(options.run.parties, 1), bounds));

  std::vector<RoleConfig> roles;
  for (std::size_t id = 0; id < options.run.parties; ++id) {
    roles.push_back(plan_role(base, Role::party, id));
  }
  roles.push_back(plan_role(base, Role::dealer, 0));
  roles.push_back(plan_role(base, Role::actor, 0));
  if (options.run.separate_rewarder) roles.push_back(plan_role(base, Role::rewarder, 0));
  return roles;
}

void write_deployment(std::vector<RoleConfig> roles, const std::filesystem::path& out) {
  require_nothing_at(out);
  Undo undo;
  if (!std::filesystem::exists(out)) {
    undo.add(out);
    make_folder(out);
  } else {
    std::filesystem::permissions(out, std::filesystem::perms::owner_all);
  }
  for (const RoleConfig& role : roles) {
    undo.add(out / folder_name(role));
    make_folder(out / folder_name(role));
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
