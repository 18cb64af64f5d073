// The file of a role's store, in a folder that only its owner can enter.
//
//     live.db, SQLite, WAL, synchronous FULL, mode 0600, version 5 of the tables
//     table       key             value
//     meta        name            role, session and parameters, not sealed; `seal`, the sealed digest of these three
//     rows        (table, key)    a row, sealed for this table and key (apps/kit/store/seal.h)
//     log         1, 2, 3, ...    changes of rows that are not in `rows` yet, sealed for this number
//
// Throws InputError if the folder has no store, a damaged store, or the store of another role, service or key. Throws
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

// All members are public.
struct LiveIdentity {
  std::string role;
  std::string session;     // session of the config: 32 hex digits
  std::string parameters;  // text of the parameters that must not change while the model exists
};

// `secret` is derived from the role's private key.
[[nodiscard]] SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity);

class LiveFile {
 public:
  [[nodiscard]] static bool exists(const std::filesystem::path& folder);
  // The folder gets mode 0700. Throws InputError if the folder already has a store.
  static void create(const std::filesystem::path& folder, const LiveIdentity& identity, const SealingKey& key);
  [[nodiscard]] static std::uint64_t bytes(const std::filesystem::path& folder);

  // Opens and locks the file. Checks that the file belongs to the identity, is not damaged, has a known version, and is
  // sealed with the key.
  LiveFile(const std::filesystem::path& folder, LiveIdentity identity, const SealingKey& key);

  [[nodiscard]] Database& database() const noexcept { return *database_; }
  [[nodiscard]] std::int64_t version() const;
  // Call within a transaction.
  void migrate_tables();
  // Call within a transaction.
  void seal_again(const SealingKey& key);

  // The copy overwrites an unfinished copy of an earlier attempt.
  void copy_to(const std::filesystem::path& file) const;
  // The folder gets mode 0700. Throws InputError if the folder already has a store.
  void copy_into(const std::filesystem::path& folder) const;
  // If the disk has enough free space, makes the file of the WAL as long as it ever needs to be. The file then does not
  // grow later, so a sync does not wait for the file system's own journal.
  void lengthen_wal();

  [[nodiscard]] std::string place_of(const RowKey& key) const;
  [[nodiscard]] std::string place_of_change(std::int64_t number) const;
  [[noreturn]] void refuse(const std::string& damage) const;

 private:
  void check_version() const;
  void check_identity(const SealingKey& key) const;

  LiveIdentity identity_;
  std::unique_ptr<Database> database_;
};

// Copies a store while the store changes. The copy is the store as it was when the last step ended. The destructor
// removes an unfinished copy.
class LiveCopy {
 public:
  // While the constructor, step(), or the destructor of an unfinished copy runs, no other code may use the file. Throws
  // InputError if the folder already has a store, and ResourceError if the copy cannot be written.
  LiveCopy(const LiveFile& file, std::filesystem::path folder);
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;
  ~LiveCopy();

  // Returns true if more remains to be copied. Throws ResourceError if the copy cannot be written.
  [[nodiscard]] bool step();
  // Call when step() has returned false. The copy is then on the disk.
  void finish();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::optional<DatabaseCopy> copy_;
};

}  // namespace sotto::apps::live
