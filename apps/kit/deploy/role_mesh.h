// Sets up the links of a role from the role's config.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {

// Throws InputError if the config names no key, if the file cannot be used, or if [trust] has another certificate for
// this role.
[[nodiscard]] net::Identity read_role_identity(const RoleSettings& config);

[[nodiscard]] std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role);

// Makes keys for all roles in a folder that only its user can read, or reads the keys of an earlier call. Returns the
// fingerprints of the roles. Throws InputError if an old key cannot be used, and ResourceError if a new key cannot be
// written.
[[nodiscard]] std::map<std::string, std::string> make_local_keys(const RoleSettings& config,
                                                                 const std::filesystem::path& folder);

[[nodiscard]] NodeId role_id(const RoleSettings& config);

// The handshake compares this text line by line.
[[nodiscard]] std::string run_parameters(const RoleSettings& config);

// Hex digits. Two roles with different digits have different configs.
[[nodiscard]] std::string run_revision(const RoleSettings& config);

// The address is `listen`, or the role's own address in [peers]. Throws InputError if the address is invalid.
[[nodiscard]] std::optional<net::Address> listen_address(const RoleSettings& config);

// The links use TLS unless insecure_plaintext is set. Throws InputError if an address is wrong, if [trust] does not
// have exactly the run's roles, or if a key cannot be used.
[[nodiscard]] net::MeshConfig mesh_config(const RoleSettings& config);

[[nodiscard]] net::Mesh connect_mesh(const RoleSettings& config, net::MeshConfig mesh,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> report = {});

// The links use TLS unless insecure_plaintext is set. `report` receives lines such as "party 0 is here (1 of 3)";
// stderr is the default. Throws the errors of net::set_up_mesh, and InputError if an address is wrong.
[[nodiscard]] net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> report = {});

}  // namespace sotto::apps
