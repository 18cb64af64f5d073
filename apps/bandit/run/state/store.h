// The state of a run that a role keeps on its own disk, so that the run can continue after a crash. The state is a
// folder that only its owner can enter, with
//
//     store.db    SQLite, WAL, synchronous FULL, mode 0600; every row is encrypted (seal.h)
//     begun       the number of steps that the role has begun, 16 bytes that are public (begun_mark.h)
//
//     table         key        a row, decrypted (rows.h)
//     meta          name       in clear: role, session, parameters, inputs; sealed: `seal`, their digest
//     epochs        epoch      OpenedEpoch: one for each start or resume of the run
//     checkpoints   steps      Checkpoint: the last two, each with its id
//     arms          first      PulledArms, at the role that gets the rewards, if they are recorded
//     ending        1          written when the run was complete for all roles
//
// A party stores its additive shares of the model. A thief who steals the stores and keys of some parties gets only
// what these parties had in memory: at most n-1 shares of a fresh sharing. Such shares are uniform words without
// information. A thief who steals all n stores and keys can read the model at the checkpoint. The dealer stores the
// numbers of epochs, and the number of steps that it has dealt.
//
// A checkpoint is identified by its id (sites.h), which covers the whole schedule of the run up to the checkpoint. A
// run continues from a checkpoint only if all nodes have the same id. So shares from a restored old copy of a folder
// are never combined with shares of another epoch, or of another start of the run.
//
// Three rules ensure that all nodes have a common checkpoint, whatever role crashes at whatever time:
//   1. An epoch is recorded on the disk before the first frame of its rounds is sent, and no epoch is opened twice.
//   2. When a role opens an epoch, the same transaction deletes every checkpoint after the starting step of the epoch.
//      No role can pass the starting step before all roles have opened the epoch. The deleted checkpoints are of no
//      use, because at least one role does not have them.
//   3. Two checkpoints are kept. No role can be two checkpoints ahead of another role, so there is always a checkpoint
//      that all roles have.
//
// Errors: InputError if the folder has no store, a damaged store, a store of a newer version, or the store of another
// role, run or key. ResourceError if another process uses the store or the disk is full. None of these errors changes
// the store.
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

// The owner of a store. All members of this struct are public.
struct StoreIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // of the config: 32 hex digits
  std::string parameters;  // canonical text of the run
  std::string inputs;      // digest of the role's own data; empty if it has none
  std::uint64_t steps = 0;
  std::uint64_t most_begun = 0;  // the most steps that can begin between one checkpoint and the next, at least 1
  bool has_checkpoints = false;  // whether the role has checkpoints; true at every role except the dealer
};

class RoleStore {
 public:
  // Whether the folder has a store, sound or damaged. Throws InputError if the folder cannot be searched.
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. Throws InputError if there is a store already.
  static void create(const std::filesystem::path& folder, const StoreIdentity& identity, const SealingKey& key);

  // Opens a store, locks it and reads all of it. `key` follows from the role's private key, see store_key().
  RoleStore(const std::filesystem::path& folder, const StoreIdentity& identity, SealingKey key);

  // The resume state that this role sends in the handshake.
  [[nodiscard]] ResumeState standing() const;
  // The counts over all epochs, including the current epoch.
  [[nodiscard]] StepCounts progress() const noexcept;
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  // Records that the epoch is open, and the counts of steps on which the roles agreed. Deletes the rows of steps that
  // will be repeated. The record is on the disk when open_epoch() returns. Throws DisagreementError, and changes
  // nothing, if the epoch is not above all epochs that were opened. Throws the same error if the run would start from a
  // checkpoint that this role does not have, or that has another id at this role.
  void open_epoch(const ResumePoint& opening);

  // The checkpoint from which the epoch started. Throws std::logic_error at step 0.
  [[nodiscard]] Checkpoint starting_point();
  // The newest checkpoint, if there is one.
  [[nodiscard]] std::optional<Checkpoint> newest_checkpoint();
  // The id of the newest checkpoint; zeros if there is none yet.
  [[nodiscard]] CheckpointId newest_id() const noexcept;
  // The arms of all steps before the newest checkpoint, if arms are recorded.
  [[nodiscard]] const std::vector<std::uint32_t>& pulled_arms() const noexcept { return arms_; }

  // Notes that a step of this epoch begins.
  void step_begins(std::uint64_t step) noexcept { mark_->step_begins(step); }
  // Stores a checkpoint of this epoch and the arms since the last checkpoint. Fills in `epoch` and `progress` of the
  // stored checkpoint. Deletes all checkpoints except the last two. The checkpoint is on the disk when save() returns.
  void save(Checkpoint checkpoint, std::span<const std::uint32_t> new_arms);
  // Records that the run is complete for all roles.
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

  // The part of a checkpoint that is kept in memory; the shares stay on the disk.
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
  std::optional<OpenedEpoch> epoch_;  // the last epoch that was opened
  std::vector<Kept> checkpoints_;     // ascending
  std::vector<std::uint32_t> arms_;   // arms of the steps before the last checkpoint
  StepCounts before_;                 // the counts over all earlier epochs
  bool complete_ = false;
};

// The key that encrypts the rows of a role. `secret` follows from the role's private key.
[[nodiscard]] SealingKey store_key(std::span<const std::byte> secret, const StoreIdentity& identity);

}  // namespace sotto::apps::bandit::run
