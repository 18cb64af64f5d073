#include "apps/kit/deploy/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

// The time is in seconds. People start the roles one after the other.
constexpr double time_to_start = 300;

// The function does not resolve the name, because the machine on which `sotto init` runs may be unable to resolve it.
bool says_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::map<std::string, std::string> addresses(const RoleSettings& run, const std::map<std::string, std::string>& hosts) {
  const std::vector<std::string> names = listening_roles(run);
  std::map<std::string, std::string> peers;
  unsigned port = first_default_port;
  for (const std::string& name : names) peers[name] = fmt::format("localhost:{}", port++);
  if (hosts.empty()) return peers;
  for (const auto& [name, host] : hosts) {
    if (peers.contains(name)) continue;
    const std::vector<std::string> all = role_names(run);
    if (std::find(all.begin(), all.end(), name) != all.end()) {
      throw InputError("--host",
                       fmt::format("{0} only connects to others in this run ({1}): it has no address to listen "
                                   "on; leave --host {0} out",
                                   name, run.in_short()));
    }
    throw InputError("--host", fmt::format("this run ({}) has no role '{}' that listens{}", run.in_short(), name,
                                           did_you_mean(name, names)));
  }
  for (const std::string& name : names) {
    if (!hosts.contains(name)) {
      throw InputError(
          "--host", fmt::format("{0} has no address; name one for each role that listens, --host {0}=HOST:PORT", name));
    }
  }
  return hosts;
}

void require_addresses_that_differ(const std::map<std::string, std::string>& peers) {
  std::map<std::string, std::string> roles;
  for (const auto& [role, text] : peers) {
    const auto [other, alone] = roles.emplace(net::parse_address(text, "--host " + role).text(), role);
    if (!alone) {
      throw InputError("--host " + role, fmt::format("{} is the address of {} too", text, other->second));
    }
  }
}

// A role binds all interfaces, because its name may resolve to an address that only other machines can use.
std::string listening_address(const std::string& peer) {
  const net::Address address = net::parse_address(peer, "--host");
  if (says_loopback(address.host)) return {};
  const bool v6 = address.host.find(':') != std::string::npos;
  return net::Address{v6 ? "::" : "0.0.0.0", address.port}.text();
}

std::unique_ptr<RoleSettings> plan_role(const RoleSettings& base, const RunRole& role) {
  std::unique_ptr<RoleSettings> config = base.clone();
  config->role_word = role.word;
  config->id = role.id;
  config->report = "report.json";
  if (!config->insecure_plaintext) config->key = "key.pem";
  if (role.listens) config->listen = listening_address(config->peers.at(role.key));
  config->name_files();
  return config;
}

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
  throw InputError(
      "--out", fmt::format("{} exists already and is not an empty folder; name another, nothing is ever overwritten",
                           out.string()));
}

void make_folders(const std::filesystem::path& out, const std::vector<std::string>& names, Undo& undo) {
  require_nothing_at(out);
  if (!std::filesystem::exists(out)) {
    undo.add(out);
    make_private_folder(out);
  } else {
    std::filesystem::permissions(out, std::filesystem::perms::owner_all);
  }
  for (const std::string& name : names) {
    undo.add(out / name);
    make_private_folder(out / name);
  }
}

std::map<std::string, std::string> make_keys(const RoleSet& roles, const std::filesystem::path& out) {
  std::map<std::string, std::string> trust;
  for (const auto& role : roles) {
    const std::string name = role->role_key();
    const net::Identity identity = net::Identity::create(name);
    identity.write(out / name / role->key);
    trust[name] = identity.fingerprint();
  }
  return trust;
}

}  // namespace

void add_host(const Program& program, const std::string& argument, std::map<std::string, std::string>& hosts) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--host", fmt::format("'{}' is not ROLE=HOST:PORT, such as {}=sotto.example.org:7100", argument,
                                           program.roles.front().key(0)));
  }
  const std::string role = argument.substr(0, equals);
  for (const RoleKind& kind : program.roles) {
    if (kind.listens || kind.word != role) continue;
    throw InputError("--host", fmt::format("the {} only connects, and needs no address", kind.name));
  }
  const net::Address address = parse_peer(argument.substr(equals + 1), "--host " + role);
  if (!hosts.emplace(role, address.text()).second) {
    throw InputError("--host", fmt::format("{} is given twice", role));
  }
}

RoleSet plan_deployment(const RoleSettings& run, const std::map<std::string, std::string>& hosts) {
  const std::unique_ptr<RoleSettings> base = run.clone();
  base->session = fresh_session();
  base->peers = addresses(run, hosts);
  require_addresses_that_differ(base->peers);
  base->connect_deadline_seconds = time_to_start;
  run.check_plan();
  RoleSet roles;
  for (const RunRole& role : base->roles()) roles.push_back(plan_role(*base, role));
  return roles;
}

void write_deployment(const RoleSet& roles, const std::filesystem::path& out) {
  std::vector<std::string> names;
  for (const auto& role : roles) names.push_back(role->role_key());
  Undo undo;
  make_folders(out, names, undo);
  if (roles.front()->insecure_shared_keys) {
    const std::map<std::string, std::string> trust = make_keys(roles, out);
    for (const auto& role : roles) role->trust = trust;
  }
  for (const auto& role : roles) {
    write_file(out / role->role_key() / "config.toml", commented_config(*role));
    write_file(out / role->role_key() / "README.txt", readme(*role));
  }
  undo.keep_all();
}

void write_configs(const std::map<std::string, std::string>& texts, const std::filesystem::path& out) {
  std::vector<std::string> names;
  names.reserve(texts.size());
  for (const auto& [name, text] : texts) names.push_back(name);
  Undo undo;
  make_folders(out, names, undo);
  for (const auto& [name, text] : texts) write_file(out / name / "config.toml", text);
  undo.keep_all();
}

}  // namespace sotto::apps
