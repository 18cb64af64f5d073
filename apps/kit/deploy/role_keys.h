// Keys of the roles of a run: whose certificates its config trusts, and what is put around its links for it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/apps/kit/settings/role_settings.h"
#include "sotto/net/mesh/mesh.h"
#include "sotto/net/mesh/wrap.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {

// [trust] by the numbers that links use. Throws InputError unless it has exactly the run's roles.
[[nodiscard]] std::map<NodeId, std::string> trusted_certificates(const RoleSettings& config);

// The private key that the config names. Throws InputError if it names none, if the file cannot be used
// (net/transport/tls/identity.h), or if [trust] has another certificate for this role.
[[nodiscard]] net::Identity read_role_identity(const RoleSettings& config);

struct SecuredLinks {
  net::MeshConfig::Wrap wrap;
  std::map<NodeId, std::string> certificates;  // for MeshConfig; empty with insecure_plaintext
};
// TLS over `under`, or `under` alone where the run has insecure_plaintext. Throws InputError as the functions above and
// net::encrypt_links do.
[[nodiscard]] SecuredLinks secure_links(const RoleSettings& config, net::MeshConfig::Wrap under);

// Where make_local_keys() keeps a role's key.
[[nodiscard]] std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role);

// Keys for all roles of a run on one machine, in a folder that only its user can read; those that are there already are
// used again. Returns what belongs into [trust]. Throws InputError where a file there cannot be used, ResourceError
// where none can be written.
[[nodiscard]] std::map<std::string, std::string> make_local_keys(const RoleSettings& config,
                                                                 const std::filesystem::path& folder);

}  // namespace sotto::apps
