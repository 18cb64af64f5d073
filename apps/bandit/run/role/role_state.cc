#include "apps/bandit/run/role/role_state.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/sites.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/input_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::bandit::run {
namespace {

// A resumed run must use the data with which the run began.
std::string inputs_of(const RoleInputs& inputs, bool brings_features) {
  const std::filesystem::path& file = brings_features      ? inputs.data
                                      : inputs.log.empty() ? inputs.environment
                                                           : inputs.log;
  return file.empty() ? std::string{} : file_digest(file);
}

StoreIdentity identity_of(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs) {
  StoreIdentity identity;
  identity.role = role.name();
  identity.session = role.session;
  identity.parameters = run_parameters(role);
  identity.inputs = inputs_of(inputs, brings_features(role, run));
  identity.steps = run.steps;
  identity.most_begun = most_begun_between_checkpoints(run.checkpoint_every, run.batch, run.reward_lag);
  identity.has_checkpoints = role.role() != BanditRole::dealer;
  return identity;
}

SealingKey key_of(const BanditLinks& role, const RoleFolders& folders, const StoreIdentity& identity) {
  if (folders.state.empty()) {
    throw InputError(fmt::format("checkpoint_every in [run] needs state in [role]: the folder where {} keeps its state",
                                 role.name()));
  }
  if (role.key.empty()) {
    throw InputError(fmt::format("state in [role] needs key: what {} stores is encrypted under it", role.name()));
  }
  std::array<std::byte, SealingKey::size> secret{};
  net::Identity::read(role.key).derive("sotto store", secret);
  SealingKey key = store_key(secret, identity);
  OPENSSL_cleanse(secret.data(), secret.size());
  return key;
}

std::unique_ptr<RoleStore> open_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                      const RoleFolders& folders) {
  const StoreIdentity identity = identity_of(role, run, inputs);
  return std::make_unique<RoleStore>(folders.state, identity, key_of(role, folders, identity));
}

}  // namespace

void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders) {
  const StoreIdentity identity = identity_of(role, run, inputs);
  RoleStore::create(folders.state, identity, key_of(role, folders, identity));
}

void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders, Checkpoint last) {
  create_role_store(role, run, inputs, folders);
  const auto store = open_store(role, run, inputs, folders);
  store->open_epoch(ResumePoint{});
  store->save(std::move(last), {});
  store->mark_complete();
}

Checkpoint last_checkpoint(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                           const RoleFolders& folders) {
  std::optional<Checkpoint> checkpoint = open_store(role, run, inputs, folders)->newest_checkpoint();
  if (!checkpoint) throw InputError(folders.state.string(), "holds no checkpoint yet");
  return std::move(*checkpoint);
}

class RoleState::Keeper final : public StepObserver, public CheckpointStore {
 public:
  // `runs_ahead` is true at an owner and at a helper, which may begin a step before the parties play the step. This
  // object then counts steps only when a checkpoint is saved.
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
  std::uint64_t counted_;
};

RoleState::RoleState(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                     const RoleFolders& folders)
    : steps_(run.steps), role_(role.role()) {
  if (run.checkpoint_every == 0) {
    if (folders.resume) {
      throw InputError("--resume: this run keeps no state (checkpoint_every in [run] is 0)");
    }
    return;
  }
  if (!folders.resume) create_role_store(role, run, inputs, folders);
  store_ = open_store(role, run, inputs, folders);
}

RoleState::~RoleState() = default;

ResumeState RoleState::resume_state() const { return store_ ? store_->resume_state() : ResumeState{}; }

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
    rewards->proceed(std::move(*checkpoint.curve), store_->pulled_arms());
  }
  const bool runs_ahead = role_ == BanditRole::owner || role_ == BanditRole::helper;
  keeper_ = std::make_unique<Keeper>(*store_, site.checkpoints(), rewards, opening_, session, runs_ahead);
  site.add(*keeper_);
}

void RoleState::mark_complete() {
  if (store_) store_->mark_complete();
}

void RoleState::add_to(RoleReport& report) const {
  report.epoch = opening_.epoch;
  report.from_step = opening_.from_step;
  report.steps_begun = steps_;
  // The dealer deals ahead, so it does not know how many of the dealt steps were played.
  if (store_ && role_ != BanditRole::dealer) report.steps_begun = store_->progress().taken;
}

}  // namespace sotto::apps::bandit::run
