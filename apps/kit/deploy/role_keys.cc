#include "sotto/apps/kit/deploy/role_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/wrap.h"

namespace sotto::apps {
namespace {

std::string own_name(const RoleConfig& config) { return peer_key(config.role, config.id); }

}  // namespace

std::map<NodeId, std::string> trusted_certificates(const RunConfig& run) {
  std::map<NodeId, std::string> certificates;
  for (const RunRole& role : run_roles(run)) {
    const auto found = run.trust.find(role.key);
    if (found == run.trust.end()) {
      throw InputError(fmt::format(
          "[trust] has no certificate of {0}: `sotto keys trust --config CONFIG {0} FINGERPRINT` "
          "enters the one that its owner's `sotto keys show` prints (or set insecure_plaintext = "
          "true in [run] for links without TLS)",
          role.key));
    }
    certificates[role.node] = found->second;
  }
  const std::vector<std::string> names = role_names(run);
  for (const auto& [name, fingerprint] : run.trust) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("[trust] names {}, which is no role of this run", name));
    }
  }
  return certificates;
}

net::Identity read_role_identity(const RoleConfig& config) {
  const std::string name = own_name(config);
  if (config.key.empty()) {
    throw InputError(fmt::format(
        "the config of the {0} names no private key: `sotto keys new --out {1}.pem --name {1}` "
        "makes one, then set key = \"{1}.pem\" in [role] (or insecure_plaintext = true in [run] "
        "for links without TLS)",
        config.name(), name));
  }
  net::Identity identity = net::Identity::read(config.key);
  const auto trusted = config.run.trust.find(name);
  if (trusted != config.run.trust.end() && trusted->second != identity.fingerprint()) {
    throw InputError(config.key.string(),
                     fmt::format("this key has the certificate {}, but [trust] has {} for {}: no "
                                 "peer would let this role in; enter the right one at every role",
                                 identity.fingerprint(), trusted->second, name));
  }
  return identity;
}

SecuredLinks secure_links(const RoleConfig& config, net::MeshConfig::Wrap under) {
  if (config.run.insecure_plaintext) return {std::move(under), {}};
  std::map<NodeId, std::string> certificates = trusted_certificates(config.run);
  const net::Identity identity = read_role_identity(config);
  net::MeshConfig::Wrap wrap = net::encrypt_links(identity, certificates, std::move(under));
  return {std::move(wrap), std::move(certificates)};
}

std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& role) {
  return folder / (role + ".pem");
}

std::map<std::string, std::string> make_local_keys(const RunConfig& run,
                                                   const std::filesystem::path& folder) {
  std::map<std::string, std::string> trust;
  for (const std::string& name : role_names(run)) {
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

std::vector<std::string> insecure_options(const RunConfig& run) {
  std::vector<std::string> names;
  if (run.insecure_seed) names.emplace_back("insecure-seed");
  if (run.insecure_plaintext) names.emplace_back("insecure-plaintext");
  if (run.insecure_shared_keys) names.emplace_back("insecure-shared-keys");
  if (run.o3m && run.o3m->insecure_blocks) names.emplace_back("insecure-blocks");
  return names;
}

}  // namespace sotto::apps
