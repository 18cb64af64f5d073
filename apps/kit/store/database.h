// One SQLite file for one process, with an exclusive lock, WAL mode, and synchronous FULL. A transaction is on the disk
// when commit() returns. The errors are:
// - ResourceError if another process holds the file, if the disk is full or cannot be written, or if the file would
//   exceed the process's limit for file sizes. The process must ignore the signal of this limit, SIGXFSZ.
// - InputError if the file is missing, damaged, cut off, or no database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/store/seal.h"

struct sqlite3;
struct sqlite3_backup;
struct sqlite3_stmt;

namespace sotto::apps {

[[nodiscard]] bool may_be_database(const std::filesystem::path& path);

class Database {
 public:
  // The two texts are the advice in messages about a full disk and about a damaged file.
  explicit Database(const std::filesystem::path& path,
                    std::string lost_room = "resume the run; its last checkpoint is kept",
                    std::string damaged = "bring back a copy of the folder, or begin the run again in another folder");
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  void execute(const char* sql);
  [[nodiscard]] std::int64_t number(const char* sql);
  [[nodiscard]] std::int64_t changes() const;
  // Throws InputError if pages of the database are damaged.
  void check_pages();

  [[noreturn]] void fail(int code);
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  friend class Statement;
  friend class DatabaseCopy;
  std::filesystem::path path_;
  std::string lost_room_;
  std::string damaged_;
  sqlite3* handle_ = nullptr;
};

// Bound bytes must live until the statement has run.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind(std::span<const std::byte> bytes);

  [[nodiscard]] bool next();
  void run();
  Statement& again();
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::vector<std::byte> bytes(int column) const;

 private:
  Statement& bound(int code);

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// Copies a database in steps. The copy equals the database at the end of the last step.
class DatabaseCopy {
 public:
  // The file `into` must be empty, and the caller must sync it to the disk after the last step.
  DatabaseCopy(Database& database, const std::filesystem::path& into);
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;
  ~DatabaseCopy();

  // Returns true while pages are left. Throws the errors of the database, and ResourceError if the copy cannot be
  // written.
  [[nodiscard]] bool step(int pages);

 private:
  Database& database_;
  std::filesystem::path into_;
  sqlite3* copy_ = nullptr;
  sqlite3_backup* backup_ = nullptr;
};

class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

// The table `meta` of a store is in clear text. Its entry `seal` is a copy of the entries that identify the store,
// sealed with the role's key. Without the key, nobody can therefore change these entries unnoticed.

void put_meta(Database& database, std::string_view name, std::string_view text);
[[nodiscard]] std::string take_meta(Database& database, std::string_view name);

void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place);

// Throws InputError if the store belongs to another role.
void require_role(Database& database, const std::string& role);
// Throws InputError unless the stored seal was made from `text` for `place` with `key`, the key of `role`.
void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role);

}  // namespace sotto::apps
