// The file of a role's store, in a folder that only its owner can enter. This file makes the store, checks it before
// use, copies it, and defines the places for which rows are sealed. live_store.h defines the meaning of rows.
//
//     live.db, SQLite, WAL, synchronous FULL, mode 0600, version 5 of the tables
//     meta        name -> in clear: role, session, parameters; sealed: `seal`, their digest
//     rows        (table, key) -> a row, sealed (apps/kit/store/seal.h) for its place
//     log         1, 2, 3, ... -> changes of rows that are not in `rows` yet, sealed for their place
//
// Errors: InputError if the folder holds no store, a damaged store, or the store of another role, service or key.
// ResourceError if another process uses the store or the disk is full. In all of these cases nothing is changed.
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

// The role and the service that a store belongs to. All of it is public.
struct LiveIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // session of the config: 32 hex digits
  std::string parameters;  // canonical text of the parameters that must not change while the model exists
};

// The key that seals a role's rows, made from a secret that is derived from the role's private key.
[[nodiscard]] SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity);

class LiveFile {
 public:
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. InputError if the folder holds a store.
  static void create(const std::filesystem::path& folder, const LiveIdentity& identity, const SealingKey& key);
  // The size of the store's files on the disk, in bytes. A file that cannot be looked at counts as 0.
  [[nodiscard]] static std::uint64_t bytes(const std::filesystem::path& folder);

  // Opens and locks the file. Checks that the file belongs to the identity, is whole, has a known version, and is
  // sealed with the key.
  LiveFile(const std::filesystem::path& folder, LiveIdentity identity, const SealingKey& key);

  [[nodiscard]] Database& database() const noexcept { return *database_; }
  // The version of the tables. Tables below live_store_version must be brought forward.
  [[nodiscard]] std::int64_t version() const;
  // Call within a transaction. Adds the log, which stores have since version 3, and sets the version.
  void bring_tables_forward();
  // Call within a transaction. Writes `seal` with another key.
  void seal_again(const SealingKey& key);

  // Makes a complete copy, which is on the disk when this returns. The copy overwrites the remains of an earlier try.
  void copy_to(const std::filesystem::path& file) const;
  // Makes a complete copy as the store of another folder, which is made with mode 0700. InputError if that folder holds
  // a store.
  void copy_into(const std::filesystem::path& folder) const;
  // Gives the WAL at once the length that it grows to, unless the file system is short of room. Later writes then go
  // over the same blocks, and a sync of such writes does not wait for the file system's own journal.
  void lengthen_wal();

  // The places for which a row, and a change of the log, are sealed.
  [[nodiscard]] std::string place_of(const RowKey& key) const;
  [[nodiscard]] std::string place_of_change(std::int64_t number) const;
  [[noreturn]] void refuse(const std::string& damage) const;

 private:
  void check_version() const;
  void check_identity(const SealingKey& key) const;

  LiveIdentity identity_;
  std::unique_ptr<Database> database_;
};

// A complete copy of a store that keeps changing meanwhile. The copy becomes the store of another folder, which is made
// with mode 0700. The copy has the state of the store at the end of the last step. An unfinished copy is removed.
class LiveCopy {
 public:
  // Nothing else may use the file during the constructor, step(), and the destructor of an unfinished copy. InputError
  // if the folder holds a store, ResourceError as in step().
  LiveCopy(const LiveFile& file, std::filesystem::path folder);
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;
  ~LiveCopy();

  // Copies a megabyte; true while some is left. ResourceError if the copy cannot be written.
  [[nodiscard]] bool step();
  // Call once nothing is left. The copy is on the disk when this returns.
  void finish();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;  // path of the unfinished copy
  std::optional<DatabaseCopy> copy_;
};

}  // namespace sotto::apps::live
