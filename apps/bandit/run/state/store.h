// The state of a run that a role stores on its own disk, so that the run can continue after a crash. The state is a
// folder that only its owner can enter, with
//
//     store.db    SQLite, WAL, synchronous FULL, mode 0600; every row is encrypted (seal.h)
//     begun       the number of steps that the role has begun, 16 bytes that are public (begun_mark.h)
//
//     table         key        a row, decrypted (rows.h)
//     meta          name       not encrypted: role, session, parameters, inputs; encrypted: `seal`, the digest of these
//                              four
//     epochs        epoch      OpenedEpoch: one for each start or resume of the run
//     checkpoints   steps      Checkpoint: the last two, each with its id
//     arms          first      PulledArms, at the role that receives the rewards, if that role records the arms
//     ending        1          written when the run was complete for all roles
//
// A thief who steals the stores and keys of up to n-1 parties sees only uniform words, which contain no information. A
// thief who steals all n stores and keys can read the model at the checkpoint.
//
// A run continues from a checkpoint only if all nodes have the same id (sites.h). So the roles never combine shares
// from an old copy of a folder with shares of another epoch, or of another start of the run.
//
// Three rules ensure that all nodes have a common checkpoint, whatever role crashes at whatever time:
//   1. A role records an epoch on the disk before the role sends the first frame of this epoch. No role opens an epoch
//      twice.
//   2. When a role opens an epoch, the same transaction deletes every checkpoint after the starting step of the epoch.
//      No role can pass the starting step before all roles have opened the epoch. The deleted checkpoints are of no
//      use, because at least one role does not have them.
//   3. Each role keeps two checkpoints. No role can be two checkpoints ahead of another role, so there is always a
//      checkpoint that all roles have.
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

struct StoreIdentity {
  std::string role;        // such as "dealer"
  std::string session;     // 32 hex digits
  std::string parameters;  // parameters of the run, as canonical text
  std::string inputs;      // digest of the role's inputs, or empty
  std::uint64_t steps = 0;
  std::uint64_t most_begun = 0;  // largest number of steps begun between two checkpoints
  bool has_checkpoints = false;  // false at the dealer
};

class RoleStore {
 public:
  // Returns true even for a damaged store. Throws InputError if the folder cannot be searched.
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Throws InputError if there is a store already.
  static void create(const std::filesystem::path& folder, const StoreIdentity& identity, const SealingKey& key);

  // Locks the store and reads it completely.
  RoleStore(const std::filesystem::path& folder, const StoreIdentity& identity, SealingKey key);

  [[nodiscard]] ResumeState resume_state() const;
  // Counts of steps over all epochs.
  [[nodiscard]] StepCounts progress() const noexcept;
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  // Records that the epoch is open, and deletes the rows of steps that will be repeated. The record is on the disk when
  // open_epoch() returns. Throws DisagreementError, and changes nothing, if the epoch is not above all opened epochs,
  // or if this role does not have the starting checkpoint.
  void open_epoch(const ResumePoint& opening);

  // Returns the checkpoint from which the epoch starts. Throws std::logic_error if the epoch starts at step 0.
  [[nodiscard]] Checkpoint starting_point();
  [[nodiscard]] std::optional<Checkpoint> newest_checkpoint();
  // Returns zeros if there is no checkpoint.
  [[nodiscard]] CheckpointId newest_id() const noexcept;
  // Returns the arms before the newest checkpoint.
  [[nodiscard]] const std::vector<std::uint32_t>& pulled_arms() const noexcept { return arms_; }

  void step_begins(std::uint64_t step) noexcept { mark_->step_begins(step); }
  // Stores a checkpoint of this epoch and the arms since the checkpoint before, and deletes all checkpoints except the
  // last two. The new checkpoint is on the disk when save() returns.
  void save(Checkpoint checkpoint, std::span<const std::uint32_t> new_arms);
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
  std::optional<OpenedEpoch> epoch_;
  std::vector<Kept> checkpoints_;
  std::vector<std::uint32_t> arms_;
  StepCounts before_;
  bool complete_ = false;
};

// `secret` follows from the role's private key.
[[nodiscard]] SealingKey store_key(std::span<const std::byte> secret, const StoreIdentity& identity);

}  // namespace sotto::apps::bandit::run
