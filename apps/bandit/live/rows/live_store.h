// The rows of a role of the decision service on its disk: a folder that only its owner can enter, with
//
//     live.db, SQLite, WAL, synchronous FULL, mode 0600, version 3 of the tables
//     meta        name -> in clear: role, session, parameters; sealed: `seal`, their digest
//     rows        (table, key) -> a row, sealed (apps/kit/store/seal.h) for its place
//     log         1, 2, 3, ... -> changes of rows that are not in `rows` yet, sealed for their place
//
// A decision changes a few rows, each on a page of its own. So a small change is appended to the log, which is a page or
// two, and is kept in memory as well. At rest, or once there are many of them, all go into `rows` in one transaction, as a
// change of many rows does at once.
//
// Keys are in clear: event ids are random, and numbers count. Who steals the stores of all parties, keys included, has
// the features that wait and the model; of fewer, their own features alone.
//
// A store of an older version is brought forward once, as it is opened; a copy of it stays as live.db.v1, by its
// version. One of a newer version is refused.
//
// Errors: InputError where the folder holds no store, or the store of another role, service, or key, or a damaged one;
// ResourceError where another process uses it or the disk is full. In none of these cases is anything changed.
//
// In memory as well are rows of late, up to 64 MB of them, and where a role serves a filter of all keys (stored_keys.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sotto/apps/bandit/live/rows/live_rows.h"
#include "sotto/apps/bandit/live/rows/row_cache.h"
#include "sotto/apps/bandit/live/rows/stored_keys.h"
#include "sotto/apps/kit/store/database.h"
#include "sotto/apps/kit/store/seal.h"

namespace sotto::apps {

// Whose store it is. All of it is public.
struct LiveIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // of the config: 32 hex digits
  std::string parameters;  // canonical text of what must not change under a model
};

// The key of a role's rows, from a secret that follows from its private key.
[[nodiscard]] SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity);

class LiveStore final : public LiveRows {
 public:
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. InputError where there is one.
  static void create(const std::filesystem::path& folder, const LiveIdentity& identity, const SealingKey& key);

  // Of its files on the disk; 0 where they cannot be looked at.
  [[nodiscard]] static std::uint64_t bytes(const std::filesystem::path& folder);

  // Opens a store and locks it.
  LiveStore(const std::filesystem::path& folder, LiveIdentity identity, SealingKey key);

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const override;
  void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const override;
  void commit(const RowChanges& changes) override;
  void at_rest() override;

  // Before a role serves: makes the filter of keys, so that to find out that an event is new takes no look into the database,
  // and gives the WAL the length at once that it grows to, unless the file system is short of room. A sync of what is written
  // over the same blocks does not wait for the file system's own journal.
  void prepare_to_serve();

  // A whole copy, on the disk when this returns: the store live.db in another folder, which is made with mode 0700.
  // InputError where that holds one.
  void back_up(const std::filesystem::path& into);
  // Seals all rows with another key: all or none. This object is of no use afterwards.
  void change_key(const SealingKey& key);

 private:
  void check_version();
  void check_identity();
  void bring_forward(std::int64_t version);
  [[nodiscard]] RowChanges from_version_1() const;
  void read_log();
  void copy_to(const std::filesystem::path& file);
  [[noreturn]] void refuse(const std::string& damage) const;
  [[nodiscard]] LiveRow opened(const RowKey& key, const std::vector<std::byte>& sealed) const;
  [[nodiscard]] std::optional<LiveRow> read(const RowKey& key) const;
  void lengthen_wal();
  void append(const RowChanges& changes);
  // All of the log, and these.
  void write_through(const RowChanges& changes);
  void put_rows(const RowChanges& changes);  // within a transaction

  LiveIdentity identity_;
  SealingKey key_;
  std::unique_ptr<Database> database_;
  // Statements that are run again and again; they end before their database.
  std::unique_ptr<Statement> get_;
  std::unique_ptr<Statement> put_;
  std::unique_ptr<Statement> erase_;
  std::unique_ptr<Statement> log_;
  std::optional<StoredKeys> keys_;  // where a role serves
  RowChanges pending_;              // what is in the log
  std::int64_t logged_ = 0;
  std::size_t logged_bytes_ = 0;
  mutable RowCache cache_;
  SealingNonces nonces_;
};

}  // namespace sotto::apps
