// SQLite, as far as a store takes it: one file, one process, statements with numbers and bytes.
//
// A database is opened with an exclusive lock that it holds to its end, in WAL mode with synchronous FULL: a
// transaction is on the disk when commit() returns. Errors:
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

// False of a regular file that has bytes of something else than SQLite.
[[nodiscard]] bool may_be_database(const std::filesystem::path& path);

class Database {
 public:
  // Opens a file that exists; a file of no bytes becomes an empty database. `lost_room` is what a message about a full
  // disk tells the user to do after making room.
  // `damaged` likewise about a damaged file.
  explicit Database(const std::filesystem::path& path,
                    std::string lost_room = "resume the run; its last checkpoint is kept",
                    std::string damaged = "bring back a copy of the folder, or begin the run anew in another one");
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Statements without values or results.
  void execute(const char* sql);
  // The number that a query gives in its first row and column.
  [[nodiscard]] std::int64_t number(const char* sql);
  // Rows that the last statement inserted, changed or deleted.
  [[nodiscard]] std::int64_t changes() const;
  // Throws InputError where pages are damaged.
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

// One statement. Values are bound in order, from the first; bytes must live until it has run.
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

  // True while there is a row.
  [[nodiscard]] bool next();
  // Runs a statement that gives no rows.
  void run();
  // Makes it ready for other values.
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

// A copy of a database that goes on changing meanwhile. What is committed between two steps, through the same Database,
// is in it: at the end it is as the database is then.
class DatabaseCopy {
 public:
  // `into` is an empty file, and the caller's to sync. Both must outlive this. ResourceError where it cannot be opened.
  DatabaseCopy(Database& database, const std::filesystem::path& into);
  DatabaseCopy(const DatabaseCopy&) = delete;
  DatabaseCopy& operator=(const DatabaseCopy&) = delete;
  ~DatabaseCopy();

  // Copies so many pages, outside of a transaction; true while some are left. The database's errors, and ResourceError
  // where the copy cannot be written.
  [[nodiscard]] bool step(int pages);

 private:
  Database& database_;
  std::filesystem::path into_;
  sqlite3* copy_ = nullptr;
  sqlite3_backup* backup_ = nullptr;
};

// All of what happens until commit(), or nothing of it.
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

// The table `meta` of a store, in which it says of itself, name by name, whose it is: in clear, and all of that once
// more in `seal`, sealed for its place, so that no name can be changed without the key.

void put_meta(Database& database, std::string_view name, std::string_view text);
// Empty where there is none of that name.
[[nodiscard]] std::string take_meta(Database& database, std::string_view name);

// In place of the seal that there may be.
void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place);

// InputError where the store is another role's.
void require_role(Database& database, const std::string& role);
// InputError where the seal is not of that text, for that place, by that key of `role`.
void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role);

}  // namespace sotto::apps
