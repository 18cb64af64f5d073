#include "apps/bandit/run/role/role_state.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/checkpoint_id.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/file_digest.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/session.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

// The role's own data, by its digest: a run goes on with what it was begun with.
std::string inputs_of(const BanditSettings& config) {
  const bool learns_log = !config.log.empty();
  const std::filesystem::path& file = brings_features(config) ? config.data
                                      : learns_log            ? config.log
                                                              : config.environment;
  return file.empty() ? std::string{} : file_digest(file);
}

StoreIdentity identity_of(const BanditSettings& config) {
  StoreIdentity identity;
  identity.role = config.name();
  identity.session = config.session;
  identity.parameters = run_parameters(config);
  identity.inputs = inputs_of(config);
  identity.steps = config.steps;
  identity.most_begun = most_begun_between_checkpoints(config.checkpoint_every, config.batch, config.reward_lag);
  identity.has_checkpoints = config.role() != BanditRole::dealer;
  return identity;
}

SealingKey key_of(const BanditSettings& config, const StoreIdentity& identity) {
  if (config.state.empty()) {
    throw InputError(fmt::format("checkpoint_every in [run] needs state in [role]: the folder where {} keeps its state",
                                 config.name()));
  }
  if (config.key.empty()) {
    throw InputError(fmt::format("state in [role] needs key: what {} stores is encrypted under it", config.name()));
  }
  std::array<std::byte, SealingKey::size> secret{};
  net::Identity::read(config.key).derive("sotto store", secret);
  SealingKey key = store_key(secret, identity);
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

}  // namespace

void create_role_store(const BanditSettings& config) {
  const StoreIdentity identity = identity_of(config);
  RoleStore::create(config.state, identity, key_of(config, identity));
}

Checkpoint last_checkpoint(const BanditSettings& config) {
  const StoreIdentity identity = identity_of(config);
  RoleStore store(config.state, identity, key_of(config, identity));
  std::optional<Checkpoint> checkpoint = store.newest_checkpoint();
  if (!checkpoint) throw InputError(config.state.string(), "holds no checkpoint yet");
  return std::move(*checkpoint);
}

// Keeps a role's state on the way.
class RoleState::Keeper final : public StepObserver, public CheckpointStore {
 public:
  // An owner or a helper hears of nothing but checkpoints, and runs ahead of the steps that are played: it counts up to the last.
  // `begun` has the model that the run begins from, or is null.
  Keeper(RoleStore& store, CheckpointStore* begun, EnvironmentSite* rewards, const ResumePoint& opening,
         const net::SessionId& session, bool runs_ahead)
      : store_(store),
        begun_(begun),
        rewards_(rewards),
        epoch_(opening.epoch),
        session_(session),
        runs_ahead_(runs_ahead),
        counted_(opening.from_step) {}

  void step_begins(std::uint64_t step) override {
    if (!runs_ahead_) store_.step_begins(step);
  }

  CheckpointId name_checkpoint(std::uint64_t steps, const net::Digest& public_words) override {
    return checkpoint_id({store_.newest_id(), session_, epoch_, steps}, public_words);
  }
  void save(std::uint64_t steps, const ModelShares& shares, const CheckpointId& id) override {
    for (; runs_ahead_ && counted_ < steps; ++counted_) store_.step_begins(counted_);
    Checkpoint checkpoint;
    checkpoint.steps = steps;
    checkpoint.id = id;
    checkpoint.inverses = shares.inverses;
    checkpoint.targets = shares.targets;
    std::span<const std::uint32_t> new_arms;
    if (rewards_ != nullptr) {
      checkpoint.curve = rewards_->curve().state();
      new_arms = std::span(rewards_->arms()).subspan(store_.pulled_arms().size());
    }
    store_.save(std::move(checkpoint), new_arms);
  }
  void load(std::uint64_t steps, ModelShares& shares) override {
    if (steps == 0 && begun_ != nullptr) return begun_->load(steps, shares);
    Checkpoint checkpoint = store_.starting_point();
    if (checkpoint.inverses.size() != shares.inverses.size() || checkpoint.targets.size() != shares.targets.size()) {
      throw InputError(
          fmt::format("the checkpoint of step {} holds {} and {} words where this model has {} and {}: the store is of "
                      "another model",
                      checkpoint.steps, checkpoint.inverses.size(), checkpoint.targets.size(), shares.inverses.size(),
                      shares.targets.size()));
    }
    shares.inverses = std::move(checkpoint.inverses);
    shares.targets = std::move(checkpoint.targets);
  }

 private:
  RoleStore& store_;
  CheckpointStore* begun_;
  EnvironmentSite* rewards_;
  std::uint32_t epoch_;
  net::SessionId session_;
  bool runs_ahead_;
  std::uint64_t counted_;  // steps, where it runs ahead
};

RoleState::RoleState(const BanditSettings& config) : config_(config) {
  if (config.checkpoint_every == 0) {
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

ResumeState RoleState::standing() const { return store_ ? store_->standing() : ResumeState{}; }

void RoleState::open_epoch(const ResumePoint& opening) {
  opening_ = opening;
  if (store_) store_->open_epoch(opening);
}

void RoleState::attach(BanditSite& site, EnvironmentSite* rewards, const net::SessionId& session) {
  if (!store_) return;
  if (rewards != nullptr && opening_.from_step > 0) {
    Checkpoint checkpoint = store_->starting_point();
    if (!checkpoint.curve) {
      throw InputError(
          fmt::format("the checkpoint of step {} holds no rewards: the store is of another run", checkpoint.steps));
    }
    rewards->go_on(std::move(*checkpoint.curve), store_->pulled_arms());
  }
  const bool runs_ahead = config_.role() == BanditRole::owner || config_.role() == BanditRole::helper;
  keeper_ = std::make_unique<Keeper>(*store_, site.checkpoints(), rewards, opening_, session, runs_ahead);
  site.add(*keeper_);
}

void RoleState::mark_complete() {
  if (store_) store_->mark_complete();
}

void RoleState::add_to(RoleReport& report) const {
  report.epoch = opening_.epoch;
  report.from_step = opening_.from_step;
  report.steps_begun = config_.steps;
  // The dealer deals ahead: what it has dealt was not always played.
  if (store_ && config_.role() != BanditRole::dealer) report.steps_begun = store_->progress().taken;
}

}  // namespace sotto::apps
