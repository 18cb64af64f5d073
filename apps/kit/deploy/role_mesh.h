// Sets up the links of a role as the role's config describes: with the certificates that the role trusts, and with TLS.
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

// Reads the private key that the config names. Throws InputError if the config names no key, if the file cannot be used
// (include/sotto/protocol/transport/tls/identity.h), or if [trust] has another certificate for this role.
[[nodiscard]] net::Identity read_role_identity(const RoleSettings& config);

// The file in which make_local_keys() keeps a role's key.
[[nodiscard]] std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role);

// Makes keys for all roles of a run on one machine, in a folder that only its user can read. Keys that already exist in
// the folder are used again. Returns the content of [trust]. Throws InputError if an existing file cannot be used, and
// ResourceError if a key cannot be written.
[[nodiscard]] std::map<std::string, std::string> make_local_keys(const RoleSettings& config,
                                                                 const std::filesystem::path& folder);

// The role's node number on the links.
[[nodiscard]] NodeId role_id(const RoleSettings& config);

// The text that the handshake compares line by line: the program with its version, then the run.
[[nodiscard]] std::string run_parameters(const RoleSettings& config);

// 8 hex digits of a digest of run_parameters(). Roles whose digits differ have different configs.
[[nodiscard]] std::string run_revision(const RoleSettings& config);

// The address that the role binds: `listen`, or its own address in [peers]. Returns nothing for a role that only
// connects. Throws InputError if the setting is no valid address.
[[nodiscard]] std::optional<net::Address> listen_address(const RoleSettings& config);

// The settings from which the role sets up its links. The result has no listener. The links use TLS unless
// insecure_plaintext is set for the run. Throws InputError if an address is wrong, if [trust] does not have exactly the
// run's roles, or if a key cannot be used (read_role_identity(), net::encrypt_links()).
[[nodiscard]] net::MeshConfig mesh_config(const RoleSettings& config);

// Connects to all peers with the result of mesh_config(). The other arguments are the same as for connect_role().
[[nodiscard]] net::Mesh connect_mesh(const RoleSettings& config, net::MeshConfig mesh,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> tell = {});

// Connects to all peers, by TLS unless insecure_plaintext is set for the run. In the handshake, `resume` says how far
// this role has come in the run. `listen_descriptor` replaces the address that the config gives. `tell` receives lines
// such as "party 0 is here (1 of 3)". Without `tell`, these lines go to stderr. Throws the errors of net::set_up_mesh,
// and InputError if an address is wrong.
[[nodiscard]] net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> tell = {});

}  // namespace sotto::apps
