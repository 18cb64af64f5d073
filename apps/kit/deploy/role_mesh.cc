#include "sotto/apps/kit/deploy/role_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "sotto/apps/kit/program/about.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::apps {
namespace {

net::SessionId session_of(const std::string& hex) {
  net::SessionId session{};
  for (std::size_t i = 0; i < session.size(); ++i) {
    session[i] = static_cast<std::byte>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  }
  return session;
}

net::Address address_of(const RoleSettings& config, const std::string& key) {
  return net::parse_address(config.peers.at(key), fmt::format("{} in [peers]", key));
}

std::map<NodeId, net::Address> addresses(const RoleSettings& config) {
  std::map<NodeId, net::Address> result;
  for (const RunRole& role : config.roles()) {
    if (role.listens) result[role.node] = address_of(config, role.key);
  }
  return result;
}

// Jitter guards nothing, so its seed needs no care.
std::uint64_t link_seed(const RoleSettings& config) {
  if (!config.insecure_seed) return std::random_device()();
  return *config.insecure_seed * (net::dealer_id + 1) + role_id(config);
}

// [trust] by the numbers that links use. Throws InputError unless it has exactly the run's roles.
std::map<NodeId, std::string> trusted_certificates(const RoleSettings& config) {
  std::map<NodeId, std::string> certificates;
  for (const RunRole& role : config.roles()) {
    const auto found = config.trust.find(role.key);
    if (found == config.trust.end()) {
      throw InputError(fmt::format(
          "[trust] has no certificate of {0}: `sotto keys trust --config CONFIG {0} FINGERPRINT` enters the one that "
          "its owner's `sotto keys show` prints (or set insecure_plaintext = true in [run] for links without TLS)",
          role.key));
    }
    certificates[role.node] = found->second;
  }
  const std::vector<std::string> names = role_names(config);
  for (const auto& [name, fingerprint] : config.trust) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("[trust] names {}, which is no role of this run", name));
    }
  }
  return certificates;
}

}  // namespace

net::Identity read_role_identity(const RoleSettings& config) {
  const std::string name = config.role_key();
  if (config.key.empty()) {
    throw InputError(fmt::format(
        "the config of the {0} names no private key: `sotto keys new --out {1}.pem --name {1}` makes one, then set key "
        "= \"{1}.pem\" in [role] (or insecure_plaintext = true in [run] for links without TLS)",
        config.name(), name));
  }
  net::Identity identity = net::Identity::read(config.key);
  const auto trusted = config.trust.find(name);
  if (trusted != config.trust.end() && trusted->second != identity.fingerprint()) {
    throw InputError(config.key.string(), fmt::format("this key has the certificate {}, but [trust] has {} for {}: no "
                                                      "peer would let this role in; enter the right one at every role",
                                                      identity.fingerprint(), trusted->second, name));
  }
  return identity;
}

std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role) {
  return folder / (role + ".pem");
}

std::map<std::string, std::string> make_local_keys(const RoleSettings& config, const std::filesystem::path& folder) {
  std::map<std::string, std::string> trust;
  for (const std::string& name : role_names(config)) {
    const std::filesystem::path file = key_file(folder, name);
    if (std::filesystem::exists(file)) {
      trust[name] = net::Identity::read(file).fingerprint();
      continue;
    }
    const net::Identity identity = net::Identity::create(name);
    identity.write(file);
    trust[name] = identity.fingerprint();
  }
  return trust;
}

std::string run_parameters(const RoleSettings& config) {
  return fmt::format("program = {}\n{}", config.program().version, agreed_text(config));
}

NodeId role_id(const RoleSettings& config) { return config.own_role().node; }

std::optional<net::Address> listen_address(const RoleSettings& config) {
  const RunRole self = config.own_role();
  if (!self.listens) return std::nullopt;
  if (!config.listen.empty()) return net::parse_address(config.listen, "listen in [role]");
  return address_of(config, self.key);
}

net::MeshConfig mesh_config(const RoleSettings& config) {
  net::MeshConfig mesh{config.topology(), role_id(config), session_of(config.session), run_parameters(config), ""};
  if (config.insecure_seed) {
    mesh.nonce = net::insecure_nonce(*config.insecure_seed, mesh.self);
  }
  mesh.software = version();
  mesh.addresses = addresses(config);
  mesh.setup_deadline = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * config.connect_deadline_seconds));
  net::MeshConfig::Wrap under;
  if (config.link.emulated()) under = net::emulate_links(config.link, link_seed(config));
  if (config.insecure_plaintext) {
    mesh.wrap = std::move(under);
    return mesh;
  }
  mesh.certificates = trusted_certificates(config);
  mesh.wrap = net::encrypt_links(read_role_identity(config), mesh.certificates, std::move(under));
  return mesh;
}

net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                       std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted) {
  net::MeshConfig mesh = mesh_config(config);
  mesh.announcement = announcement;
  mesh.resume = std::move(resume);
  mesh.interrupted = &interrupted;
  mesh.arrived = [](const std::string& peer, std::size_t here, std::size_t all) {
    say(fmt::format("sotto: {} is here ({} of {})", peer, here, all));
  };
  mesh.notice = [](const std::string& line) { say("sotto: " + line); };
  if (listen_descriptor) {
    mesh.listener.emplace(*listen_descriptor);
  } else if (const auto address = listen_address(config)) {
    mesh.listener.emplace(*address);
  }
  return net::set_up_mesh(std::move(mesh));
}

}  // namespace sotto::apps
