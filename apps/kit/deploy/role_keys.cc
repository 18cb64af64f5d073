#include "sotto/apps/kit/deploy/role_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/wrap.h"

namespace sotto::apps {
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

SecuredLinks secure_links(const RoleSettings& config, net::MeshConfig::Wrap under) {
  if (config.insecure_plaintext) return {std::move(under), {}};
  std::map<NodeId, std::string> certificates = trusted_certificates(config);
  const net::Identity identity = read_role_identity(config);
  net::MeshConfig::Wrap wrap = net::encrypt_links(identity, certificates, std::move(under));
  return {std::move(wrap), std::move(certificates)};
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

}  // namespace sotto::apps
