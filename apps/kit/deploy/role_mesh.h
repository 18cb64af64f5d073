// The links of a role, as its config describes them.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/net/mesh/mesh.h"

namespace sotto::apps {

// The role's number on the links.
[[nodiscard]] NodeId role_id(const RoleSettings& config);

// What the handshake compares, line by line: the program with its version, then the run.
[[nodiscard]] std::string run_parameters(const RoleSettings& config);

// What the role binds: `listen`, or its own address in [peers]; nothing of a role that only connects. Throws InputError
// where it is no address.
[[nodiscard]] std::optional<net::Address> listen_address(const RoleSettings& config);

// What the role sets up its links with, without a listener. Throws InputError where an address is wrong or a key cannot
// be used (apps/kit/deploy/role_keys.h).
[[nodiscard]] net::MeshConfig mesh_config(const RoleSettings& config);

// Connects to all peers, by TLS unless the run has insecure_plaintext, and shakes hands, saying where this role stands.
// `listen_descriptor` replaces the config's own address.
// Throws as net::set_up_mesh does, and InputError where an address is wrong.
[[nodiscard]] net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
