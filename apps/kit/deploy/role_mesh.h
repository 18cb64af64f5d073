// The links of a role, as its config describes them: whose certificates it trusts, and what is put around its links for
// that.
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

// The private key that the config names. Throws InputError if it names none, if the file cannot be used
// (include/sotto/protocol/transport/tls/identity.h), or if [trust] has another certificate for this role.
[[nodiscard]] net::Identity read_role_identity(const RoleSettings& config);

// Where make_local_keys() keeps a role's key.
[[nodiscard]] std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role);

// Keys for all roles of a run on one machine, in a folder that only its user can read; those that are there already are
// used again. Returns what belongs into [trust]. Throws InputError where a file there cannot be used, ResourceError
// where none can be written.
[[nodiscard]] std::map<std::string, std::string> make_local_keys(const RoleSettings& config,
                                                                 const std::filesystem::path& folder);

// The role's number on the links.
[[nodiscard]] NodeId role_id(const RoleSettings& config);

// What the handshake compares, line by line: the program with its version, then the run.
[[nodiscard]] std::string run_parameters(const RoleSettings& config);

// Of those parameters, 8 hex digits: whose differ have different configs.
[[nodiscard]] std::string run_revision(const RoleSettings& config);

// What the role binds: `listen`, or its own address in [peers]; nothing of a role that only connects. Throws InputError
// where it is no address.
[[nodiscard]] std::optional<net::Address> listen_address(const RoleSettings& config);

// What the role sets up its links with, without a listener: TLS, unless the run has insecure_plaintext. Throws
// InputError where an address is wrong, where [trust] has not exactly the run's roles, or where a key cannot be used
// (read_role_identity(), net::encrypt_links()).
[[nodiscard]] net::MeshConfig mesh_config(const RoleSettings& config);

// Connects to all peers with what mesh_config() gave. The rest as connect_role().
[[nodiscard]] net::Mesh connect_mesh(const RoleSettings& config, net::MeshConfig mesh,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> tell = {});

// Connects to all peers, by TLS unless the run has insecure_plaintext, and shakes hands, saying where this role stands.
// `listen_descriptor` replaces the config's own address. `tell` takes lines such as "party 0 is here (1 of 3)"; without
// it they go to stderr. Throws as net::set_up_mesh does, and InputError where an address is wrong.
[[nodiscard]] net::Mesh connect_role(const RoleSettings& config, const std::string& announcement, net::Resume resume,
                                     std::optional<int> listen_descriptor, const std::atomic<bool>& interrupted,
                                     std::function<void(const std::string&)> tell = {});

}  // namespace sotto::apps
