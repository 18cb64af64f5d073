#include "apps/live/rows/live_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/store/database.h"
#include "apps/live/order/opening.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t live_application = 0x736f746c;  // "sotl"
constexpr const char* live_schema =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;CREATE TABLE rows (kind INTEGER NOT "
    "NULL, key BLOB NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;PRAGMA application_id = "
    "0x736f746c;";
constexpr const char* log_schema = "CREATE TABLE IF NOT EXISTS log (number INTEGER PRIMARY KEY, sealed BLOB NOT NULL);";
// SQLite caches 32 MB of pages in memory. When the WAL has grown to 16 MB, SQLite writes its pages into the database.
// The file of the WAL stays long, up to 32 MB.
constexpr const char* pace =
    "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 33554432";
constexpr std::uintmax_t length_of_wal = std::uintmax_t{16} << 20;
constexpr std::uintmax_t room_for_wal = 16 * length_of_wal;
constexpr const char* lost_room = "the service continues by itself; what it has acknowledged is kept";

std::string version_schema() { return fmt::format("PRAGMA user_version = {};", live_store_version); }

fs::path database_of(const fs::path& folder) { return folder / "live.db"; }

// After this sync of the folder, the names of its files survive a power cut.
void sync_folder(const fs::path& folder) {
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.get() < 0 || (::fsync(open.get()) != 0 && errno != EINVAL)) {
    throw ResourceError(fmt::format("{}: {}", folder.string(), std::generic_category().message(errno)));
  }
}

// Needed after VACUUM INTO, which does not sync the file that it writes.
void sync_file(const fs::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0) {
    throw ResourceError(file.string() + ": cannot be written: make room, and try again");
  }
}

std::string place_in_table(const LiveIdentity& identity, int table, std::span<const std::byte> key) {
  return fmt::format("live {} {} of {} in session {}", table, hex(key), identity.role, identity.session);
}

std::string sealed_text(const LiveIdentity& identity) {
  return fmt::format("{}\n{}\n{}", identity.role, identity.session, identity.parameters);
}

std::string place_of_seal(const LiveIdentity& identity) { return place_in_table(identity, 0, {}); }

void require_private_folder(const fs::path& folder) { require_private(folder, "run `chmod 700` on it"); }

void make_folder(const fs::path& folder) {
  make_private_folder(folder);
  require_private_folder(folder);
  if (LiveFile::exists(folder)) {
    throw InputError(folder.string(), "holds the store of a service already: choose another folder");
  }
}

}  // namespace

SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity) {
  return SealingKey::derive(secret, fmt::format("live rows of {} in session {}", identity.role, identity.session));
}

bool LiveFile::exists(const fs::path& folder) { return file_exists(database_of(folder)); }

void LiveFile::create(const fs::path& folder, const LiveIdentity& identity, const SealingKey& key) {
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  make_folder(folder);
  // The file gets its final name only when it is complete. If the process is killed earlier, the next attempt begins
  // again.
  const fs::path path = folder / "live.new";
  for (const char* const leftover : {"live.new", "live.new-wal", "live.new-shm"}) fs::remove(folder / leftover, error);
  if (!make_private_file(path)) throw ResourceError(path.string() + ": is made by another process");
  try {
    Database database(path, lost_room);
    database.execute("PRAGMA journal_mode = WAL");
    Transaction transaction(database);
    database.execute(live_schema);
    database.execute(log_schema);
    database.execute(version_schema().c_str());
    put_meta(database, "role", identity.role);
    put_meta(database, "session", identity.session);
    put_meta(database, "parameters", identity.parameters);
    put_seal(database, key, sealed_text(identity), place_of_seal(identity));
    transaction.commit();
  } catch (...) {
    fs::remove(path, error);
    throw;
  }
  fs::rename(path, database_of(folder), error);
  if (error) throw ResourceError(fmt::format("{}: {}", path.string(), error.message()));
  sync_folder(folder);
}

std::uint64_t LiveFile::bytes(const fs::path& folder) {
  std::uint64_t sum = 0;
  for (const char* const name : {"live.db", "live.db-wal"}) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / name, error);
    if (!error) sum += size;
  }
  return sum;
}

LiveFile::LiveFile(const fs::path& folder, LiveIdentity identity, const SealingKey& key)
    : identity_(std::move(identity)) {
  if (!exists(folder)) throw InputError(folder.string(), "holds no store of a service");
  require_private_folder(folder);
  require_private(database_of(folder), "run `chmod 600` on it");
  database_ = std::make_unique<Database>(database_of(folder), lost_room);
  check_version();
  check_identity(key);
  database_->execute(pace);
}

std::int64_t LiveFile::version() const { return database_->number("PRAGMA user_version"); }

void LiveFile::check_version() const {
  const std::string file = database_->path().string();
  const std::int64_t found = version();
  if (database_->number("PRAGMA application_id") != live_application || found < 1) {
    throw InputError(file, "is no store of a service, or one that was never finished");
  }
  if (found > live_store_version) {
    throw InputError(file,
                     fmt::format("was written by a newer sotto (version {}, this one knows {}): start the role with "
                                 "that; nothing was changed",
                                 found, live_store_version));
  }
}

void LiveFile::check_identity(const SealingKey& key) const {
  const std::string file = database_->path().string();
  database_->check_pages();
  require_role(*database_, identity_.role);
  const std::string session = take_meta(*database_, "session");
  if (session != identity_.session) {
    throw InputError(file, fmt::format("is of another service (session {}, not {})", session, identity_.session));
  }
  const std::string parameters = take_meta(*database_, "parameters");
  if (const auto what = net::first_difference(identity_.parameters, parameters, "the beginning of the service")) {
    throw InputError(file, fmt::format("the parameters of the service were changed: {}; that is a new service", *what));
  }
  require_seal(*database_, key, sealed_text(identity_), place_of_seal(identity_), identity_.role);
}

void LiveFile::migrate_tables() {
  database_->execute(log_schema);
  database_->execute(version_schema().c_str());
}

void LiveFile::seal_again(const SealingKey& key) {
  put_seal(*database_, key, sealed_text(identity_), place_of_seal(identity_));
}

void LiveFile::copy_to(const fs::path& file) const {
  std::error_code ignored;
  fs::remove(file, ignored);
  if (!make_private_file(file)) throw ResourceError(file.string() + ": is made by another process");
  Statement(*database_, "VACUUM INTO ?").bind(std::string_view(file.native())).run();
  sync_file(file);
}

void LiveFile::copy_into(const fs::path& folder) const {
  make_folder(folder);
  copy_to(database_of(folder));
}

// This function begins a transaction that is larger than SQLite's cache, so SQLite must write most of it to the WAL.
// The function then rolls the transaction back, and the file of the WAL stays long.
void LiveFile::lengthen_wal() {
  std::error_code error;
  const fs::path wal = fs::path(database_->path()) += "-wal";
  const std::uintmax_t length = fs::file_size(wal, error);
  const fs::space_info space = fs::space(wal.parent_path(), error);
  if (error || length >= length_of_wal || space.available < room_for_wal) return;
  database_->execute("PRAGMA cache_size = 100");
  {
    const Transaction taken_back(*database_);
    database_->execute(fmt::format("INSERT INTO log VALUES (0, zeroblob({}))", length_of_wal + (1 << 20)).c_str());
  }
  database_->execute(pace);
  sync_file(wal);
}

std::string LiveFile::place_of(const RowKey& key) const {
  return place_in_table(identity_, static_cast<int>(key.table), key.key);
}

std::string LiveFile::place_of_change(std::int64_t number) const {
  return fmt::format("live log {} of {} in session {}", number, identity_.role, identity_.session);
}

LiveCopy::LiveCopy(const LiveFile& file, fs::path folder) : folder_(std::move(folder)), path_(folder_ / "live.new") {
  make_folder(folder_);
  std::error_code ignored;
  fs::remove(path_, ignored);
  if (!make_private_file(path_)) throw ResourceError(path_.string() + ": is made by another process");
  copy_.emplace(file.database(), path_);
}

LiveCopy::~LiveCopy() {
  copy_.reset();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

bool LiveCopy::step() {
  constexpr int pages = 256;
  if (copy_->step(pages)) return true;
  copy_.reset();
  return false;
}

void LiveCopy::finish() {
  sync_file(path_);
  std::error_code error;
  fs::rename(path_, database_of(folder_), error);
  if (error) throw ResourceError(fmt::format("{}: {}", path_.string(), error.message()));
  sync_folder(folder_);
}

void LiveFile::refuse(const std::string& damage) const {
  throw InputError(
      database_->path().string(),
      fmt::format("the store is damaged ({}): nothing was changed; bring back a copy of the folder", damage));
}

}  // namespace sotto::apps::live
