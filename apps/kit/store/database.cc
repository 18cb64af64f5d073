#include "apps/kit/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

// Returns false for a file of other data. SQLite would overwrite such a file if it has only a few bytes.
bool may_be_database(const std::filesystem::path& path) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return true;
  std::ifstream file(path, std::ios::binary);
  std::string begin(magic.size(), ' ');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return begin.empty() || begin == magic;
}

Database::Database(const std::filesystem::path& path, std::string lost_room, std::string damaged)
    : path_(path), lost_room_(std::move(lost_room)), damaged_(std::move(damaged)) {
  if (!may_be_database(path)) fail(SQLITE_NOTADB);
  const int code = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(handle_, 1);
    // A process that is being killed may still hold the file.
    sqlite3_busy_timeout(handle_, 1000);
    // In this mode SQLite uses no shared memory, and holds one lock until the database is closed.
    execute("PRAGMA locking_mode = EXCLUSIVE");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA journal_size_limit = 1048576");
    execute("PRAGMA trusted_schema = OFF");
    execute("BEGIN EXCLUSIVE");
    execute("COMMIT");
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::fail(int code) {
  const std::string file = path_.string();
  const char* reason = sqlite3_errstr(code);
  if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS) code = SQLITE_CORRUPT;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw ResourceError(fmt::format("{}: another process uses this store: wait until it has ended, or end it", file));
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
    case SQLITE_AUTH:
      throw ResourceError(fmt::format("{}: cannot be read or written ({}): make room or raise the limit, and {}", file,
                                      reason, lost_room_));
    case SQLITE_CANTOPEN:
      if (!std::filesystem::exists(path_)) {
        throw InputError(file, "is missing: this folder is not what a run left behind");
      }
      throw ResourceError(fmt::format("{}: cannot be opened ({})", file, reason));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
      throw InputError(file, fmt::format("the store is damaged ({}): nothing was changed; {}", reason, damaged_));
    default:
      throw std::logic_error(fmt::format("{}: SQLite says {}", file, reason));
  }
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(sqlite3_extended_errcode(handle_));
}

std::int64_t Database::number(const char* sql) {
  Statement query(*this, sql);
  if (!query.next()) throw std::logic_error("a query without a row");
  return query.number(0);
}

std::int64_t Database::changes() const { return sqlite3_changes(handle_); }

void Database::check_pages() {
  Statement query(*this, "PRAGMA quick_check(1)");
  if (!query.next() || query.text(0) != "ok") fail(SQLITE_CORRUPT);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(sqlite3_extended_errcode(database.handle_));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bound(int code) {
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(std::int64_t value) { return bound(sqlite3_bind_int64(statement_, ++bound_, value)); }

Statement& Statement::bind(double value) { return bound(sqlite3_bind_double(statement_, ++bound_, value)); }

Statement& Statement::bind(std::string_view text) {
  return bound(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::bind(std::span<const std::byte> bytes) {
  return bound(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC));
}

bool Statement::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_.fail(sqlite3_extended_errcode(database_.handle_));
}

void Statement::run() {
  if (next()) throw std::logic_error("a statement that gives rows");
}

Statement& Statement::again() {
  sqlite3_reset(statement_);  // sqlite3_reset() repeats an error that next() has already thrown
  bound_ = 0;
  return *this;
}

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Statement::text(int column) const {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (begin == nullptr) return {};
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::vector<std::byte> Statement::bytes(int column) const {
  const auto* begin = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  if (begin == nullptr) return {};
  return {begin, begin + sqlite3_column_bytes(statement_, column)};
}

DatabaseCopy::DatabaseCopy(Database& database, const std::filesystem::path& into) : database_(database), into_(into) {
  if (sqlite3_open_v2(into.c_str(), &copy_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK) {
    sqlite3_extended_result_codes(copy_, 1);
    sqlite3_exec(copy_, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    backup_ = sqlite3_backup_init(copy_, "main", database_.handle_, "main");
  }
  if (backup_ != nullptr) return;
  sqlite3_close_v2(copy_);
  throw ResourceError(into_.string() + ": cannot be opened as a copy of the store");
}

DatabaseCopy::~DatabaseCopy() {
  sqlite3_backup_finish(backup_);
  sqlite3_close_v2(copy_);
}

bool DatabaseCopy::step(int pages) {
  const int code = sqlite3_backup_step(backup_, pages);
  if (code == SQLITE_OK) return true;
  if (code == SQLITE_DONE) return false;
  if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB) database_.fail(code);
  throw ResourceError(
      fmt::format("{}: cannot be written ({}): make room, and copy again", into_.string(), sqlite3_errstr(code)));
}

Transaction::Transaction(Database& database) : database_(database) { database_.execute("BEGIN EXCLUSIVE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (...) {
    // SQLite rolls back by itself when the file is opened again.
    open_ = false;
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

namespace {

constexpr std::string_view seal_name = "seal";

std::span<const std::byte> words_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void put(Database& database, std::string_view name, std::span<const std::byte> value) {
  Statement(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

std::vector<std::byte> take(Database& database, std::string_view name) {
  Statement query(database, "SELECT value FROM meta WHERE name = ?");
  query.bind(name);
  return query.next() ? query.bytes(0) : std::vector<std::byte>{};
}

}  // namespace

void put_meta(Database& database, std::string_view name, std::string_view text) { put(database, name, words_of(text)); }

std::string take_meta(Database& database, std::string_view name) {
  const std::vector<std::byte> value = take(database, name);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

void put_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place) {
  put(database, seal_name, key.seal(words_of(text), place));
}

void require_role(Database& database, const std::string& role) {
  const std::string found = take_meta(database, "role");
  if (found == role) return;
  throw InputError(database.path().string(),
                   fmt::format("is the store of {}, not of {}: give each role a folder of its own",
                               found.empty() ? "nobody" : found, role));
}

void require_seal(Database& database, const SealingKey& key, std::string_view text, std::string_view place,
                  const std::string& role) {
  const auto seal = key.open(take(database, seal_name), place);
  if (seal && std::ranges::equal(*seal, words_of(text))) return;
  throw InputError(
      database.path().string(),
      fmt::format("does not open with the key of {}: it was made with another key, or is damaged; nothing was changed",
                  role));
}

}  // namespace sotto::apps
