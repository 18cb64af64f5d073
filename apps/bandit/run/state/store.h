// What a role keeps of a run on its own disk, so that the run can go on after a crash: a folder that only its owner can
// enter, with
//
//     store.db    SQLite, WAL, synchronous FULL, mode 0600; every row is encrypted (seal.h)
//     begun       how far the role has come, 16 bytes that are public (begun_mark.h)
//
//     table         key        a row, decrypted (rows.h)
//     meta          name       in clear: role, session, parameters, inputs; sealed: `seal`, their digest
//     epochs        epoch      OpenedEpoch: one for each time that the run was started or resumed
//     checkpoints   steps      Checkpoint: the last two, each with its id
//     arms          first      PulledArms, at the role that gets the rewards, where they are recorded
//     ending        1          written when the run was complete for all roles
//
// A party stores its additive shares of the model. Who steals the stores of some parties, keys included, has what these
// parties held in memory: n-1 shares of a fresh sharing, uniform words that say nothing. Who steals all n of them, keys
// included, reads the model as it was at the checkpoint. The dealer stores numbers of epochs, and how many steps it has
// dealt.
//
// A checkpoint goes by its id (sites.h), which covers the whole schedule of the run up to it. A run goes on
// from a checkpoint only where all nodes have the same id, so a copy of a folder that is brought back never meets
// shares of another epoch, or of another start of the run.
//
// Three rules see to it that there is such a checkpoint, whatever crashes when:
//   1. An epoch is on the disk before the first frame of its rounds leaves, and no epoch is opened twice.
//   2. ResumePoint an epoch deletes every checkpoint after the step that it starts from, in the same transaction. No
//      role can get past that step before all have opened the epoch; so what is dropped is what at least one of them
//      has not.
//   3. Two checkpoints are kept. No role can be two ahead of another, so there is always one that all have.
//
// Errors: InputError where the folder holds no store, or the store of another role, run, or key, a damaged one, or one
// of a newer version; ResourceError where another process uses it or the disk is full. In none of these cases is
// anything changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/run/state/begun_mark.h"
#include "apps/bandit/run/state/resume_state.h"
#include "apps/bandit/run/state/rows.h"
#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"

namespace sotto::apps::bandit::run {

// Whose store it is. All of it is public.
struct StoreIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // of the config: 32 hex digits
  std::string parameters;  // canonical text of the run
  std::string inputs;      // digest of the role's own data; empty where it has none
  std::uint64_t steps = 0;
  std::uint64_t most_begun = 0;  // steps that can begin between one checkpoint and the next, at least 1
  bool has_checkpoints = false;  // every role but the dealer
};

class RoleStore {
 public:
  // Whether the folder holds a store, sound or not. InputError where it cannot be searched.
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. InputError where there is one.
  static void create(const std::filesystem::path& folder, const StoreIdentity& identity, const SealingKey& key);

  // Opens a store, locks it and reads all of it. `key` is that of the role's private key, see store_key().
  RoleStore(const std::filesystem::path& folder, const StoreIdentity& identity, SealingKey key);

  // What this role says in the handshake.
  [[nodiscard]] ResumeState standing() const;
  // Over all epochs, this one included.
  [[nodiscard]] StepCounts progress() const noexcept;
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  // Writes down that the epoch is open and how many steps all roles remember, and drops what it will do again. On the
  // disk when this returns. Throws DisagreementError, and changes nothing, where the epoch is not above all that were
  // opened, or where the run would start from a checkpoint that this role has not, or has under another id.
  void open_epoch(const ResumePoint& opening);

  // The checkpoint of the step from which the epoch started. std::logic_error at step 0.
  [[nodiscard]] Checkpoint starting_point();
  // The newest checkpoint, if there is one.
  [[nodiscard]] std::optional<Checkpoint> newest_checkpoint();
  // Of the newest checkpoint; zeros where there is none yet.
  [[nodiscard]] CheckpointId newest_id() const noexcept;
  // The arms of all steps before it, where they are recorded.
  [[nodiscard]] const std::vector<std::uint32_t>& pulled_arms() const noexcept { return arms_; }

  // A step of this epoch begins.
  void step_begins(std::uint64_t step) noexcept { mark_->step_begins(step); }
  // Stores a checkpoint of this epoch, whose `epoch` and `progress` are filled in here, and the arms since the last;
  // drops all but two. On the disk when this returns.
  void save(Checkpoint checkpoint, std::span<const std::uint32_t> new_arms);
  // The run is complete for all roles.
  void mark_complete();

 private:
  void check_identity();
  void read_rows();
  void take_mark(const std::filesystem::path& path);
  [[nodiscard]] std::string place(std::string_view table, std::uint64_t key) const;
  [[nodiscard]] std::vector<std::byte> opened(std::string_view table, std::uint64_t key,
                                              std::span<const std::byte> sealed);
  void put(std::string_view table, std::uint64_t key, std::span<const std::byte> row);
  [[nodiscard]] Checkpoint checkpoint_of(std::uint64_t step);
  [[noreturn]] void damaged(std::string_view what) const;
  void check_opening(const ResumePoint& opening) const;

  // What is remembered of a checkpoint; its shares stay on the disk.
  struct Kept {
    std::uint64_t steps = 0;
    std::uint32_t epoch = 0;
    StepCounts progress;
    CheckpointId id{};
  };

  StoreIdentity identity_;
  SealingKey key_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<BegunMark> mark_;
  std::optional<OpenedEpoch> epoch_;  // the last
  std::vector<Kept> checkpoints_;     // ascending
  std::vector<std::uint32_t> arms_;   // of the steps before the last checkpoint
  StepCounts before_;                 // all earlier epochs
  bool complete_ = false;
};

// The key of a role's rows, from a secret that follows from its private key.
[[nodiscard]] SealingKey store_key(std::span<const std::byte> secret, const StoreIdentity& identity);

}  // namespace sotto::apps::bandit::run
