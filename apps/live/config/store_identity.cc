#include "apps/live/config/store_identity.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <array>

#include "apps/kit/deploy/role_mesh.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::live {
namespace {

SealingKey key_from(const LiveConfig& config, const net::Identity& identity) {
  std::array<std::byte, SealingKey::size> secret{};
  identity.derive("sotto live store", secret);
  SealingKey key = live_store_key(secret, live_identity(config));
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

}  // namespace

LiveIdentity live_identity(const LiveConfig& config) {
  LiveIdentity identity{config.name(), config.session, {}};
  identity.parameters = fmt::format(
      "program = {}\nparties = {}\nsteps = {}\nbits = {}\nmax_norm = {}\nrewards = {}\nlargest_batch = {}\nskip = {}\n",
      config.program().version, config.parties, config.steps, config.bits, config.max_norm,
      config.binary_rewards ? "binary" : "real", config.live.largest_batch(), !config.live.default_reward);
  for (const std::string& arm : config.live.arms) identity.parameters += fmt::format("arm = {}\n", arm);
  if (config.role() != bandit::BanditRole::party) return identity;
  for (const FeatureColumn& column : config.read_columns()) {
    identity.parameters += fmt::format("column = {}\n", column.name);
  }
  return identity;
}

SealingKey live_key(const LiveConfig& config) { return key_from(config, read_role_identity(config)); }

void back_up_store(const LiveConfig& config, const std::filesystem::path& into) {
  LiveStore(config.state, live_identity(config), live_key(config)).back_up(into);
}

bool change_store_key(const LiveConfig& config, const std::filesystem::path& old_key) {
  const LiveIdentity identity = live_identity(config);
  try {
    LiveStore(config.state, identity, key_from(config, net::Identity::read(old_key))).change_key(live_key(config));
    return true;
  } catch (const InputError&) {
    // Done before, perhaps; else what is wrong is said of the new key.
    const LiveStore store(config.state, identity, live_key(config));
    return false;
  }
}

}  // namespace sotto::apps::live
