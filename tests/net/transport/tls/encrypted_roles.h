// Roles of a run, each with a key of its own, whose links are encrypted.
#pragma once

#include "sotto/protocol/mesh/wrap.h"
#include "tests/net/roles.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {

inline std::map<NodeId, MeshConfig> encrypted_configs(const Topology& topology) {
  std::map<NodeId, MeshConfig> configs = tcp_configs(topology);
  std::map<NodeId, std::size_t> keys;
  std::map<NodeId, std::string> certificates;
  for (const auto& [role, config] : configs) {
    keys[role] = keys.size();
    certificates[role] = identity_of(keys[role]).fingerprint();
  }
  for (auto& [role, config] : configs) {
    config.wrap = encrypt_links(identity_of(keys[role]), certificates);
    config.certificates = certificates;
  }
  return configs;
}

}  // namespace sotto::net::testing
