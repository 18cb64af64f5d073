#include "apps/bandit/run/state/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/store/database.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit::run {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t application_id = 0x736f7474;  // the letters "sott"
constexpr std::int64_t schema_version = 2;
constexpr std::size_t kept_checkpoints = 2;

constexpr const char* schema =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;CREATE TABLE epochs (number INTEGER "
    "PRIMARY KEY, sealed BLOB NOT NULL);CREATE TABLE checkpoints (number INTEGER PRIMARY KEY, sealed BLOB NOT "
    "NULL);CREATE TABLE arms (number INTEGER PRIMARY KEY, sealed BLOB NOT NULL);CREATE TABLE ending (number INTEGER "
    "PRIMARY KEY, sealed BLOB NOT NULL);PRAGMA application_id = 0x736f7474;PRAGMA user_version = 2;";

fs::path database_path(const fs::path& folder) { return folder / "store.db"; }
fs::path mark_path(const fs::path& folder) { return folder / "begun"; }

std::int64_t as_key(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw std::invalid_argument("the number of a row is below 2^63");
  }
  return static_cast<std::int64_t>(number);
}

void make_folder(const fs::path& folder) {
  std::error_code error;  // make_private_folder() reports the failure
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  make_private_folder(folder);
}

std::string identity_text(const StoreIdentity& identity) {
  return fmt::format("{}\n{}\n{}\n{}", identity.role, identity.session, identity.inputs, identity.parameters);
}

std::string place_of(const StoreIdentity& identity, std::string_view table, std::uint64_t key) {
  return fmt::format("{} {} of {} in session {}", table, key, identity.role, identity.session);
}

}  // namespace

SealingKey store_key(std::span<const std::byte> secret, const StoreIdentity& identity) {
  return SealingKey::derive(secret, fmt::format("rows of {} in session {}", identity.role, identity.session));
}

bool RoleStore::exists(const fs::path& folder) { return file_exists(database_path(folder)); }

void RoleStore::create(const fs::path& folder, const StoreIdentity& identity, const SealingKey& key) {
  make_folder(folder);
  require_private(folder, "run `chmod 700` on it");
  const fs::path path = database_path(folder);
  if (exists(folder)) {
    throw InputError(folder.string(),
                     "holds the state of a run already: resume that run with --resume, or choose another folder");
  }
  BegunMark::create(mark_path(folder));
  if (!make_private_file(path)) throw ResourceError(path.string() + ": is made by another process");
  try {
    Database database(path);
    database.execute("PRAGMA journal_mode = WAL");
    Transaction transaction(database);
    database.execute(schema);
    put_meta(database, "role", identity.role);
    put_meta(database, "session", identity.session);
    put_meta(database, "parameters", identity.parameters);
    put_meta(database, "inputs", identity.inputs);
    put_seal(database, key, identity_text(identity), place_of(identity, "meta", 0));
    transaction.commit();
  } catch (...) {
    std::error_code ignored;  // nothing is lost, because the new store is empty
    fs::remove(path, ignored);
    throw;
  }
}

RoleStore::RoleStore(const fs::path& folder, const StoreIdentity& identity, SealingKey key)
    : identity_(identity), key_(std::move(key)) {
  if (identity.most_begun == 0) throw std::invalid_argument("a store without checkpoints");
  if (!exists(folder)) {
    throw InputError(
        folder.string(),
        "holds no state of a run: begin the run without --resume, or name the folder that it was begun with");
  }
  require_private(folder, "run `chmod 700` on it");
  require_private(database_path(folder), "run `chmod 600` on it");
  database_ = std::make_unique<Database>(database_path(folder));
  check_identity();
  read_rows();
  take_mark(mark_path(folder));
}

void RoleStore::damaged(std::string_view what) const {
  throw InputError(database_->path().string(), fmt::format("the store is damaged ({}): nothing was changed; bring back "
                                                           "a copy of the folder, or begin the run again in another "
                                                           "folder",
                                                           what));
}

void RoleStore::check_identity() {
  const std::string file = database_->path().string();
  const std::int64_t version = database_->number("PRAGMA user_version");
  if (database_->number("PRAGMA application_id") != application_id || version < 1) {
    throw InputError(file,
                     "is no store of sotto, or one that was never finished: if no run has used it, remove it and begin "
                     "again");
  }
  if (version > schema_version) {
    throw InputError(
        file,
        fmt::format("was written by a newer sotto (schema {}, this one knows {}): resume the run with that version",
                    version, schema_version));
  }
  if (version < schema_version) {
    throw InputError(
        file,
        fmt::format("was written by an older sotto (schema {}, this one writes {}): resume the run with that version",
                    version, schema_version));
  }
  database_->check_pages();
  require_role(*database_, identity_.role);
  const std::string session = take_meta(*database_, "session");
  if (session != identity_.session) {
    throw InputError(file, fmt::format("is of another run (session {}, not {}): name the folder of this run", session,
                                       identity_.session));
  }
  const std::string parameters = take_meta(*database_, "parameters");
  if (const auto what = net::first_difference(identity_.parameters, parameters, "the beginning of the run")) {
    throw InputError(
        file, fmt::format("the run's parameters were changed: {}; a run is resumed with those that it was begun with",
                          *what));
  }
  if (take_meta(*database_, "inputs") != identity_.inputs) {
    throw InputError(file, fmt::format("the input file of {} has changed since the run began: bring the old file back",
                                       identity_.role));
  }
  require_seal(*database_, key_, identity_text(identity_), place_of(identity_, "meta", 0), identity_.role);
}

std::string RoleStore::place(std::string_view table, std::uint64_t key) const {
  return place_of(identity_, table, key);
}

std::vector<std::byte> RoleStore::opened(std::string_view table, std::uint64_t key, std::span<const std::byte> sealed) {
  std::optional<std::vector<std::byte>> row = key_.open(sealed, place(table, key));
  if (!row) damaged(fmt::format("row {} of {} does not decrypt", key, table));
  return std::move(*row);
}

void RoleStore::put(std::string_view table, std::uint64_t key, std::span<const std::byte> row) {
  const std::vector<std::byte> sealed = key_.seal(row, place(table, key));
  Statement(*database_, fmt::format("INSERT OR REPLACE INTO {} VALUES (?, ?)", table))
      .bind(as_key(key))
      .bind(std::span<const std::byte>(sealed))
      .run();
}

void RoleStore::read_rows() {
  const auto each = [&](std::string_view table, auto take) {
    Statement query(*database_, fmt::format("SELECT number, sealed FROM {} ORDER BY number", table));
    while (query.next()) {
      const auto key = static_cast<std::uint64_t>(query.number(0));
      take(key, opened(table, key, query.bytes(1)));
    }
  };
  each("epochs", [&](std::uint64_t key, const std::vector<std::byte>& row) {
    epoch_ = decode_opened_epoch(row);
    if (!epoch_ || epoch_->epoch != key) damaged(fmt::format("epoch {}", key));
  });
  each("checkpoints", [&](std::uint64_t key, const std::vector<std::byte>& row) {
    const std::optional<Checkpoint> checkpoint = decode_checkpoint(row);
    if (!checkpoint || checkpoint->steps != key || key > identity_.steps) {
      damaged(fmt::format("checkpoint {}", key));
    }
    checkpoints_.push_back(Kept{key, checkpoint->epoch, checkpoint->progress, checkpoint->id});
  });
  each("arms", [&](std::uint64_t key, const std::vector<std::byte>& row) {
    const std::optional<PulledArms> arms = decode_pulled_arms(row);
    if (!arms || arms->first != key || key != arms_.size()) damaged(fmt::format("arms {}", key));
    arms_.insert(arms_.end(), arms->arms.begin(), arms->arms.end());
  });
  each("ending", [&](std::uint64_t, const std::vector<std::byte>&) { complete_ = true; });
}

// Reads the counts of begun steps. After a reboot, all steps that could have begun before the next checkpoint count as
// begun.
void RoleStore::take_mark(const fs::path& path) {
  mark_ = std::make_unique<BegunMark>(path);
  before_ = mark_->progress();
  if (before_.begun > identity_.steps || before_.begun > before_.taken) {
    throw InputError(path.string(), "is damaged: it counts more steps than the run has");
  }
  if (!epoch_) return;
  StepCounts on_disk = epoch_->progress;
  std::uint64_t step = epoch_->from_step;
  for (const Kept& checkpoint : checkpoints_) {
    if (checkpoint.epoch != epoch_->epoch) continue;
    on_disk = checkpoint.progress;
    step = checkpoint.steps;
  }
  if (step > identity_.steps || on_disk.begun > identity_.steps || on_disk.begun > on_disk.taken) {
    damaged("it counts more steps than the run has");
  }
  const std::array<std::byte, 16> boot = boot_id();
  if (epoch_->boot != boot || boot == std::array<std::byte, 16>{}) {
    const std::uint64_t interval = std::min(identity_.most_begun, identity_.steps - step);
    on_disk.begun = std::max(on_disk.begun, step + interval);
    on_disk.taken += interval;
  }
  before_.begun = std::max(before_.begun, on_disk.begun);
  before_.taken = std::max(before_.taken, on_disk.taken);
}

ResumeState RoleStore::resume_state() const {
  ResumeState state;
  state.epoch = epoch_ ? epoch_->epoch : 0;
  state.begun = progress().begun;
  state.taken = std::min(progress().taken, most_taken);
  state.stateful = identity_.has_checkpoints;
  // Until the run is complete, the dealer may have dealt more steps than the parties have played.
  state.ahead = !identity_.has_checkpoints && !complete_;
  if (!identity_.has_checkpoints) return state;
  for (const Kept& kept : checkpoints_) state.checkpoints.push_back({kept.steps, kept.id});
  return state;
}

void RoleStore::check_opening(const ResumePoint& opening) const {
  const std::uint32_t last = epoch_ ? epoch_->epoch : 0;
  if (opening.epoch <= last) {
    throw DisagreementError(
        fmt::format("the roles would open epoch {}, but {} has opened epoch {} before: masks are never used twice; "
                    "resume all roles",
                    opening.epoch, identity_.role, last));
  }
  if (!identity_.has_checkpoints) return;
  if (checkpoints_.empty() && opening.from_step == 0) return;
  // If this role has only the first checkpoint of the run, another role may not have reached it. Then the run may
  // restart from step 0.
  bool can = opening.from_step == 0 && checkpoints_.size() == 1 && epoch_ && epoch_->from_step == 0;
  std::string steps;
  for (const Kept& c : checkpoints_) {
    can = can || (c.steps == opening.from_step && c.id == opening.from_id);
    steps += fmt::format("{}{}", steps.empty() ? "" : " and ", c.steps);
  }
  if (can) return;
  throw DisagreementError(
      fmt::format("the roles would continue from step {}, but {} has other checkpoints, at {}: another role has lost "
                  "its state or has brought back an old copy; nothing was changed",
                  opening.from_step, identity_.role, steps.empty() ? "no step" : steps));
}

void RoleStore::open_epoch(const ResumePoint& opening) {
  check_opening(opening);
  // A dealer does not count its dealt steps, because only the other roles know which of them were played.
  StepCounts counts = identity_.has_checkpoints ? progress() : StepCounts{};
  counts.begun = std::max(counts.begun, std::min(opening.from_step + opening.repeated, identity_.steps));
  counts.taken = std::max({counts.taken, counts.begun, std::min(opening.taken, most_taken)});
  const OpenedEpoch epoch{opening.epoch, opening.from_step, counts, boot_id()};
  Transaction transaction(*database_);
  put("epochs", epoch.epoch, encode(epoch));
  const std::int64_t from = as_key(opening.from_step);
  Statement(*database_, "DELETE FROM checkpoints WHERE number > ?").bind(from).run();
  Statement(*database_, "DELETE FROM arms WHERE number >= ?").bind(from).run();
  database_->execute("DELETE FROM ending");
  transaction.commit();
  epoch_ = epoch;
  complete_ = false;
  std::erase_if(checkpoints_, [&](const Kept& c) { return c.steps > opening.from_step; });
  arms_.resize(std::min<std::size_t>(arms_.size(), opening.from_step));
  before_ = epoch.progress;
  mark_->set(epoch.progress);
}

Checkpoint RoleStore::starting_point() {
  if (!epoch_) throw std::logic_error("no epoch is open");
  return checkpoint_of(epoch_->from_step);
}

std::optional<Checkpoint> RoleStore::newest_checkpoint() {
  if (checkpoints_.empty()) return std::nullopt;
  return checkpoint_of(checkpoints_.back().steps);
}

Checkpoint RoleStore::checkpoint_of(std::uint64_t step) {
  Statement query(*database_, "SELECT sealed FROM checkpoints WHERE number = ?");
  query.bind(as_key(step));
  if (!query.next()) throw std::logic_error("there is no such checkpoint");
  std::optional<Checkpoint> checkpoint = decode_checkpoint(opened("checkpoints", step, query.bytes(0)));
  if (!checkpoint) damaged(fmt::format("checkpoint {}", step));
  return std::move(*checkpoint);
}

CheckpointId RoleStore::newest_id() const noexcept {
  return checkpoints_.empty() ? CheckpointId{} : checkpoints_.back().id;
}

StepCounts RoleStore::progress() const noexcept {
  const StepCounts now = mark_->progress();
  return StepCounts{std::max(before_.begun, now.begun), std::max(before_.taken, now.taken)};
}

void RoleStore::save(Checkpoint checkpoint, std::span<const std::uint32_t> new_arms) {
  if (!epoch_) throw std::logic_error("a checkpoint outside of an epoch");
  checkpoint.epoch = epoch_->epoch;
  checkpoint.progress = progress();
  Transaction transaction(*database_);
  put("checkpoints", checkpoint.steps, encode(checkpoint));
  if (!new_arms.empty()) {
    const PulledArms arms{arms_.size(), {new_arms.begin(), new_arms.end()}};
    put("arms", arms.first, encode(arms));
  }
  std::vector<Kept> kept = checkpoints_;
  std::erase_if(kept, [&](const Kept& c) { return c.steps >= checkpoint.steps; });
  kept.push_back(Kept{checkpoint.steps, checkpoint.epoch, checkpoint.progress, checkpoint.id});
  while (kept.size() > kept_checkpoints) {
    Statement(*database_, "DELETE FROM checkpoints WHERE number = ?").bind(as_key(kept.front().steps)).run();
    kept.erase(kept.begin());
  }
  transaction.commit();
  checkpoints_ = std::move(kept);
  arms_.insert(arms_.end(), new_arms.begin(), new_arms.end());
}

void RoleStore::mark_complete() {
  Transaction transaction(*database_);
  const std::byte done{1};
  put("ending", 1, std::span(&done, 1));
  transaction.commit();
  complete_ = true;
}

}  // namespace sotto::apps::bandit::run
