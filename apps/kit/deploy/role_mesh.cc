#include "apps/kit/deploy/role_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/hash.h"

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

// The jitter of emulated links protects no secret, so the seed need not be secure.
std::uint64_t link_seed(const RoleSettings& config) {
  if (!config.insecure_seed) return std::random_device()();
  return *config.insecure_seed * (net::dealer_id + 1) + role_id(config);
}

// Throws InputError unless [trust] has exactly the run's roles.
std::map<NodeId, std::string> trusted_certificates(const RoleSettings& config) {
  std::map<NodeId, std::string> certificates;
  for (const RunRole& role : config.roles()) {
    const auto found = config.trust.find(role.key);
    if (found == config.trust.end()) {
      throw InputError(fmt::format(
          "[trust] has no certificate of {0}: `sotto keys trust --config CONFIG {0} FINGERPRINT` enters the one that "
          "its owner's `sotto keys show` prints. For links without TLS, set insecure_plaintext = true in [run]",
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

std::map<NodeId, std::string> next_certificates(const RoleSettings& config) {
  std::map<NodeId, std::string> certificates;
  for (const RunRole& role : config.roles()) {
    const auto found = config.next_trust.find(role.key);
    if (found != config.next_trust.end()) certificates[role.node] = found->second;
  }
  return certificates;
}

constexpr std::chrono::seconds between_tellings{30};

class Waiting {
 public:
  Waiting(const RoleSettings& config, std::function<void(const std::string&)> report)
      : seconds_(config.connect_deadline_seconds), report_(std::move(report)) {
    const Topology topology = config.topology();
    const NodeId self = role_id(config);
    for (const NodeId peer : net::peers_of(topology, self)) {
      std::string& where = missing_[net::peer_name(topology, peer)];
      if (!net::connects_to(topology, self, peer)) continue;
      for (const RunRole& role : config.roles()) {
        if (role.node == peer) where = " at " + config.peers.at(role.key);
      }
    }
  }

  void begin() {
    tell_who_is_missing();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      const auto never = [] { return false; };
      while (!changed_.wait_for(lock, stop, between_tellings, never) && !stop.stop_requested()) tell_who_is_missing();
    });
  }

  void arrived(const std::string& peer, std::size_t here, std::size_t all) {
    const std::lock_guard lock(mutex_);
    missing_.erase(peer);
    report_(fmt::format("{} is here ({} of {})", peer, here, all));
  }

  void report(const std::string& line) {
    const std::lock_guard lock(mutex_);
    report_(line);
  }

 private:
  void tell_who_is_missing() {
    std::vector<std::string> peers;
    for (const auto& [peer, where] : missing_) peers.push_back(peer + where);
    if (peers.empty()) return;
    report_(
        fmt::format("waits for {}, up to {:.3g} s from its start (Ctrl-C ends it)", fmt::join(peers, ", "), seconds_));
  }

  double seconds_;
  std::function<void(const std::string&)> report_;
  std::map<std::string, std::string> missing_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // uses the members above
};

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
  const auto next = config.next_trust.find(name);
  const bool is_next = next != config.next_trust.end() && next->second == identity.fingerprint();
  if (trusted != config.trust.end() && trusted->second != identity.fingerprint() && !is_next) {
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

std::string run_revision(const RoleSettings& config) {
  const net::Digest digest = net::sha256(net::without_trust(run_parameters(config)));
  return hex(std::span(digest).first(4));
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
  mesh.next_certificates = next_certificates(config);
  mesh.wrap =
      net::encrypt_links(read_role_identity(config), mesh.certificates, std::move(under), mesh.next_certificates);
  return mesh;
}

net::Mesh connect_mesh(const RoleSettings& config, net::MeshConfig mesh, std::optional<int> listen_descriptor,
                       const std::atomic<bool>& interrupted, std::function<void(const std::string&)> report) {
  if (!report) report = [](const std::string& line) { say("sotto: " + line); };
  Waiting waiting(config, std::move(report));
  mesh.interrupted = &interrupted;
  mesh.arrived = [&](const std::string& peer, std::size_t here, std::size_t all) { waiting.arrived(peer, here, all); };
  mesh.notice = [&](const std::string& line) { waiting.report(line); };
  if (listen_descriptor) {
    mesh.listener.emplace(*listen_descriptor);
  } else if (const auto address = listen_address(config)) {
    mesh.listener.emplace(*address);
  }
  waiting.begin();
  return net::set_up_mesh(std::move(mesh));
}

net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                       std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                       std::function<void(const std::string&)> report) {
  net::MeshConfig mesh = mesh_config(config);
  mesh.announcement = announcement;
  mesh.resume = std::move(resume);
  return connect_mesh(config, std::move(mesh), listen_descriptor, interrupted, std::move(report));
}

}  // namespace sotto::apps
