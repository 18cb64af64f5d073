// The file of a role's store, in a folder that only its owner can enter. LiveFile makes the store, checks the store
// before use, and copies the store. LiveFile also names the place (role, session, table and key) for which each row is
// sealed. live_store.h defines the meaning of rows.
//
//     live.db, SQLite, WAL, synchronous FULL, mode 0600, version 5 of the tables
//     meta        name -> in clear: role, session, parameters; sealed: `seal`, their digest
//     rows        (table, key) -> a row, sealed (apps/kit/store/seal.h) for its place
//     log         1, 2, 3, ... -> changes of rows that are not in `rows` yet, sealed for their place
//
// Errors: InputError if the folder has no store, a damaged store, or the store of another role, service or key.
// ResourceError if another process uses the store or the disk is full. After any of these errors the folder is
// unchanged.
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

// The role and the service that a store belongs to. All members are public.
struct LiveIdentity {
  std::string role;        // "party 0", "dealer", ...
  std::string session;     // session of the config: 32 hex digits
  std::string parameters;  // text of the parameters that must not change while the model exists
};

// The key that seals a role's rows, made from a secret that is derived from the role's private key.
[[nodiscard]] SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity);

class LiveFile {
 public:
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // Makes the folder, with mode 0700, and an empty store. Throws InputError if the folder already has a store.
  static void create(const std::filesystem::path& folder, const LiveIdentity& identity, const SealingKey& key);
  // The size of the store's files on the disk, in bytes. A file whose size cannot be read adds 0.
  [[nodiscard]] static std::uint64_t bytes(const std::filesystem::path& folder);

  // Opens and locks the file. Checks that the file belongs to the identity, is not damaged, has a known version, and is
  // sealed with the key.
  LiveFile(const std::filesystem::path& folder, LiveIdentity identity, const SealingKey& key);

  [[nodiscard]] Database& database() const noexcept { return *database_; }
  // The version of the tables. Tables of a version below live_store_version must be converted.
  [[nodiscard]] std::int64_t version() const;
  // Converts the tables to the current version: adds the log if it is missing (before version 3), and sets the version.
  // Call within a transaction.
  void migrate_tables();
  // Seals the value `seal` of the table `meta` again, with another key. Call within a transaction.
  void seal_again(const SealingKey& key);

  // Writes a complete copy to the disk. The copy overwrites an unfinished copy of an earlier attempt.
  void copy_to(const std::filesystem::path& file) const;
  // Writes a complete copy as the store of another folder, which is made with mode 0700. Throws InputError if that
  // folder already has a store.
  void copy_into(const std::filesystem::path& folder) const;
  // Makes the WAL as long as it will ever be, unless the file system has too little room. Later writes then use blocks
  // that exist already, and a sync of such writes does not wait for the file system's own journal.
  void lengthen_wal();

  // The places for which a row and a change in the log are sealed.
  [[nodiscard]] std::string place_of(const RowKey& key) const;
  [[nodiscard]] std::string place_of_change(std::int64_t number) const;
  [[noreturn]] void refuse(const std::string& damage) const;

 private:
  void check_version() const;
  void check_identity(const SealingKey& key) const;

  LiveIdentity identity_;
  std::unique_ptr<Database> database_;
};

// Copies a store while the store changes. The copy becomes the store of another folder, which is made with mode 0700.
// The copy has the state of the store at the end of the last step. An unfinished copy is removed.
class LiveCopy {
 public:
  // No other code may use the file during the constructor, step(), and the destructor of an unfinished copy. Throws
  // InputError if the folder already has a store, and ResourceError if the copy cannot be written.
  LiveCopy(const LiveFile& file, std::filesystem::path folder);
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;
  ~LiveCopy();

  // Copies a megabyte. Returns true if more remains to be copied. Throws ResourceError if the copy cannot be written.
  [[nodiscard]] bool step();
  // Call when step() has returned false. The copy is on the disk when this function returns.
  void finish();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;  // path of the unfinished copy
  std::optional<DatabaseCopy> copy_;
};

}  // namespace sotto::apps::live
