#include "sotto/apps/kit/deploy/role_mesh.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <random>
#include <utility>

#include "sotto/apps/kit/deploy/role_keys.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/program/version.h"
#include "sotto/net/mesh/peers.h"
#include "sotto/net/mesh/wrap.h"

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

}  // namespace

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
  SecuredLinks links = secure_links(config, std::move(under));
  mesh.wrap = std::move(links.wrap);
  mesh.certificates = std::move(links.certificates);
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
