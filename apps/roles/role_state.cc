#include "apps/roles/role_state.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <array>
#include <span>
#include <utility>

#include "apps/data/read_file.h"
#include "apps/roles/role_mesh.h"
#include "core/error/errors.h"
#include "core/wire/hex.h"
#include "net/handshake/session.h"
#include "net/tls/identity.h"

namespace sotto::apps {
namespace {

bool gets_rewards(const RoleConfig& config) {
  return config.role == Role::rewarder ||
         (config.role == Role::actor && !config.run.separate_rewarder);
}

// The role's own data, by its digest: a run goes on with what it was begun with.
std::string inputs_of(const RoleConfig& config) {
  const std::filesystem::path& file = config.role == Role::party ? config.data : config.environment;
  return file.empty() ? std::string{} : file_digest(file);
}

StoreIdentity identity_of(const RoleConfig& config) {
  StoreIdentity identity;
  identity.role = config.name();
  identity.session = config.run.session;
  identity.parameters = run_parameters(config.run);
  identity.inputs = inputs_of(config);
  identity.steps = config.run.steps;
  identity.checkpoint_every = config.run.checkpoint_every;
  identity.holds_model = config.role == Role::party || gets_rewards(config);
  return identity;
}

SealingKey key_of(const RoleConfig& config, const StoreIdentity& identity) {
  if (config.state.empty()) {
    throw InputError(
        fmt::format("checkpoint_every in [run] needs state in [role]: the folder where "
                    "{} keeps its state",
                    config.name()));
  }
  if (config.key.empty()) {
    throw InputError(fmt::format("state in [role] needs key: what {} stores is encrypted under it",
                                 config.name()));
  }
  std::array<std::byte, SealingKey::size> secret{};
  net::Identity::read(config.key).derive("sotto store", secret);
  SealingKey key = store_key(secret, identity);
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

}  // namespace

std::string file_digest(const std::filesystem::path& file) {
  return "sha256:" + hex(net::sha256(read_file(file)));
}

void create_role_store(const RoleConfig& config) {
  const StoreIdentity identity = identity_of(config);
  RoleStore::create(config.state, identity, key_of(config, identity));
}

// The role's own site, with its state kept beside it.
class RoleState::KeepingSite final : public ForwardingSite {
 public:
  KeepingSite(RoleStore& store, BanditSite& site, EnvironmentSite* rewards)
      : ForwardingSite(site), store_(store), rewards_(rewards) {}

  void step_begins(std::uint64_t step) override {
    store_.step_begins(step);
    ForwardingSite::step_begins(step);
  }

  void keep(std::uint64_t steps, const ModelShares& shares) override {
    Checkpoint checkpoint;
    checkpoint.steps = steps;
    checkpoint.inverses = shares.inverses;
    checkpoint.targets = shares.targets;
    std::span<const std::uint32_t> new_arms;
    if (rewards_ != nullptr) {
      checkpoint.curve = rewards_->curve().state();
      new_arms = std::span(rewards_->arms()).subspan(store_.pulled_arms().size());
    }
    store_.save(std::move(checkpoint), new_arms);
  }
  void recall(std::uint64_t, ModelShares& shares) override {
    Checkpoint checkpoint = store_.starting_point();
    if (checkpoint.inverses.size() != shares.inverses.size() ||
        checkpoint.targets.size() != shares.targets.size()) {
      throw InputError(
          fmt::format("the checkpoint of step {} holds {} and {} words where this model "
                      "has {} and {}: the store is of another model",
                      checkpoint.steps, checkpoint.inverses.size(), checkpoint.targets.size(),
                      shares.inverses.size(), shares.targets.size()));
    }
    shares.inverses = std::move(checkpoint.inverses);
    shares.targets = std::move(checkpoint.targets);
  }

 private:
  RoleStore& store_;
  EnvironmentSite* rewards_;
};

RoleState::RoleState(const RoleConfig& config) : config_(config) {
  if (config.run.checkpoint_every == 0) {
    if (config.resume) {
      throw InputError("--resume: this run keeps no state (checkpoint_every in [run] is 0)");
    }
    return;
  }
  if (!config.resume) create_role_store(config);
  const StoreIdentity identity = identity_of(config);
  store_ = std::make_unique<RoleStore>(config.state, identity, key_of(config, identity));
}

RoleState::~RoleState() = default;

net::Standing RoleState::standing() const { return store_ ? store_->standing() : net::Standing{}; }

void RoleState::open_epoch(const net::Opening& opening) {
  opening_ = opening;
  if (store_) store_->open_epoch(opening);
}

BanditSite& RoleState::attach(BanditSite& site, EnvironmentSite* rewards) {
  // The dealer deals ahead: how far it has come says nothing about the run.
  if (!store_ || config_.role == Role::dealer) return site;
  if (rewards != nullptr && opening_.from_step > 0) {
    Checkpoint checkpoint = store_->starting_point();
    if (!checkpoint.curve) {
      throw InputError(
          fmt::format("the checkpoint of step {} holds no rewards: the store is of "
                      "another run",
                      checkpoint.steps));
    }
    rewards->go_on(std::move(*checkpoint.curve), store_->pulled_arms());
  }
  site_ = std::make_unique<KeepingSite>(*store_, site, rewards);
  return *site_;
}

void RoleState::mark_complete() {
  if (store_) store_->mark_complete();
}

void RoleState::add_to(RoleReport& report) const {
  report.epoch = opening_.epoch;
  report.from_step = opening_.from_step;
  report.steps_begun = config_.run.steps;
  if (store_ && config_.role != Role::dealer) report.steps_begun = store_->progress().taken;
}

}  // namespace sotto::apps
