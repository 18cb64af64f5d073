// The part of SQLite that a store uses: one file for one process, and statements with numbers and bytes.
//
// A database is opened with an exclusive lock, in WAL mode with synchronous FULL. The database holds the lock until it
// is closed. A transaction is on the disk when commit() returns. The errors are:
//   ResourceError  another process holds the file; the disk is full or cannot be written; a file size
//                  limit (whose signal, SIGXFSZ, the process must ignore)
//   InputError     the file is missing, damaged, cut off, or no database
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

// Returns false for a regular file that is not empty and is not in SQLite's format.
[[nodiscard]] bool may_be_database(const std::filesystem::path& path);

class Database {
 public:
  // Opens an existing file. An empty file becomes an empty database. In the message about a full disk, `lost_room` says
  // what the user must do after making room on the disk. In the message about a damaged file, `damaged` says what the
  // user must do.
  explicit Database(const std::filesystem::path& path,
                    std::string lost_room = "resume the run; its last checkpoint is kept",
                    std::string damaged = "bring back a copy of the folder, or begin the run again in another folder");
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Runs statements without values or results.
  void execute(const char* sql);
  // The number in the first row and column of a query's result.
  [[nodiscard]] std::int64_t number(const char* sql);
  // The number of rows that the last statement inserted, changed or deleted.
  [[nodiscard]] std::int64_t changes() const;
  // Checks all pages of the database. Throws InputError if pages are damaged.
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

// One SQL statement. Calls of bind() set the values of the statement in order, from the first. Bytes that are bound
// must live until the statement has run.
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

  // Moves to the next row of the result. Returns false if there are no more rows.
  [[nodiscard]] bool next();
  // Runs a statement that gives no rows.
  void run();
  // Resets the statement, so that other values can be bound.
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

// Copies a database in steps, while the database continues to change. The copy includes changes that are committed
// between two steps through the same Database. When the copy is complete, the copy equals the database at this time.
class DatabaseCopy {
 public:
  // `into` is an empty file that the caller must sync. `database` and `into` must outlive the copy. Throws
  // ResourceError if the file `into` cannot be opened.
  DatabaseCopy(Database& database, const std::filesystem::path& into);
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;
  ~DatabaseCopy();

  // Copies `pages` pages, outside of a transaction. Returns true while pages are left. Throws the errors of the
  // database, and ResourceError if the copy cannot be written.
  [[nodiscard]] bool step(int pages);

 private:
  Database& database_;
  std::filesystem::path into_;
  sqlite3* copy_ = nullptr;
  sqlite3_backup* backup_ = nullptr;
};

// A transaction: either all changes until commit() take effect, or none of them.
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

// The functions below use the table `meta` of a store, in which the store names its owner. The entries of `meta` are in
// clear text. A sealed copy of all entries is in the entry `seal`, so that nobody can change an entry without the key.

void put_meta(Database& database, std::string_view name, std::string_view text);
// The value of the entry with the given name. The value is empty if there is no such entry.
[[nodiscard]] std::string take_meta(Database& database, std::string_view name);

// Seals the text and stores the seal in place of an existing seal.
void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place);

// Throws InputError if the store belongs to another role.
void require_role(Database& database, const std::string& role);
// Throws InputError unless the stored seal was made from `text` for `place` with `key`, the key of `role`.
void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role);

}  // namespace sotto::apps
