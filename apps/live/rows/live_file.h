// The file of a role's store, in a folder that only its owner can enter: how it is made, looked at before it is used,
// and copied; and the places that its rows are sealed for. What rows mean is the store's (live_store.h).
//
//     live.db, SQLite, WAL, synchronous FULL, mode 0600, version 5 of the tables
//     meta        name -> in clear: role, session, parameters; sealed: `seal`, their digest
//     rows        (table, key) -> a row, sealed (apps/kit/store/seal.h) for its place
//     log         1, 2, 3, ... -> changes of rows that are not in `rows` yet, sealed for their place
//
// Errors: InputError where the folder holds no store, or the store of another role, service, or key, or a damaged one;
// ResourceError where another process uses it or the disk is full. In none of these cases is anything changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// Whose store it is. All of it is public.
struct LiveIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // of the config: 32 hex digits
  std::string parameters;  // canonical text of what must not change under a model
};

// The key of a role's rows, from a secret that follows from its private key.
[[nodiscard]] SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity);

class LiveFile {
 public:
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. InputError where there is one.
  static void create(const std::filesystem::path& folder, const LiveIdentity& identity, const SealingKey& key);
  // Of its files on the disk; 0 where they cannot be looked at.
  [[nodiscard]] static std::uint64_t bytes(const std::filesystem::path& folder);

  // Opens and locks it, and finds it to be that identity's, whole, of a version that is known, and sealed with that
  // key.
  LiveFile(const std::filesystem::path& folder, LiveIdentity identity, const SealingKey& key);

  [[nodiscard]] Database& database() const noexcept { return *database_; }
  // Of its tables; below live_store_version where it is to be brought forward.
  [[nodiscard]] std::int64_t version() const;
  // Within a transaction: the log, which there is since version 3, and the version.
  void bring_tables_forward();
  // Within a transaction: `seal` by another key.
  void seal_again(const SealingKey& key);

  // A whole copy, on the disk when this returns. What an earlier try has left there is written over.
  void copy_to(const std::filesystem::path& file) const;
  // The same, as the store of another folder, which is made with mode 0700. InputError where that holds one.
  void copy_into(const std::filesystem::path& folder) const;
  // Gives the WAL the length at once that it grows to, unless the file system is short of room. A sync of what is
  // written over the same blocks does not wait for the file system's own journal.
  void lengthen_wal();

  // What a row, and a change of the log, is sealed for.
  [[nodiscard]] std::string place_of(const RowKey& key) const;
  [[nodiscard]] std::string place_of_change(std::int64_t number) const;
  [[noreturn]] void refuse(const std::string& damage) const;

 private:
  void check_version() const;
  void check_identity(const SealingKey& key) const;

  LiveIdentity identity_;
  std::unique_ptr<Database> database_;
};

// A whole copy of a store that goes on changing meanwhile: the store of another folder, which is made with mode 0700.
// It is as the store is when the last step ends. What has not come so far is removed.
class LiveCopy {
 public:
  // This, step() and the end of one that is not whole come while nothing else uses the file. InputError where the
  // folder holds a store, ResourceError as step().
  LiveCopy(const LiveFile& file, std::filesystem::path folder);
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;
  ~LiveCopy();

  // A megabyte; true while some is left. ResourceError where the copy cannot be written.
  [[nodiscard]] bool step();
  // Once nothing is left: it is on the disk when this returns.
  void finish();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;  // until it is whole
  std::optional<DatabaseCopy> copy_;
};

}  // namespace sotto::apps::live
