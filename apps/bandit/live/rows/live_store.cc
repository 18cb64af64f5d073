#include "sotto/apps/bandit/live/rows/live_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <span>
#include <system_error>
#include <utility>

#include "sotto/apps/bandit/live/order/opening.h"
#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/system/descriptor.h"
#include "sotto/core/wire/hex.h"
#include "sotto/net/mesh/handshake/hello.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t live_application = 0x736f746c;  // "sotl"
constexpr std::int64_t live_version = live_store_version;
static_assert(live_version == 3, "log_schema sets user_version");
constexpr const char* live_schema =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;CREATE TABLE rows (kind INTEGER NOT "
    "NULL, key BLOB NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;PRAGMA application_id = "
    "0x736f746c;";
constexpr const char* log_schema =
    "CREATE TABLE log (number INTEGER PRIMARY KEY, sealed BLOB NOT NULL);PRAGMA user_version = 3;";
// Of rows that are changed in the log, and of its bytes: more go into the tables at once, and of rows fewer at rest.
constexpr std::size_t most_pending = 1024;
constexpr std::size_t many_at_rest = 256;
constexpr std::size_t most_logged_bytes = std::size_t{1} << 20;
constexpr std::size_t bytes_of_cache = std::size_t{64} << 20;
// 32 MB of pages in memory. The WAL goes into the database every 16 MB and keeps its length.
constexpr const char* pace =
    "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 33554432";
constexpr std::uintmax_t length_of_wal = std::uintmax_t{16} << 20;
constexpr std::uintmax_t room_for_wal = 16 * length_of_wal;
constexpr const char* lost_room = "the service goes on by itself; what it has acknowledged is kept";

fs::path database_of(const fs::path& folder) { return folder / "live.db"; }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// So that a name in it outlives a power cut.
void sync_folder(const fs::path& folder) {
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.get() < 0 || (::fsync(open.get()) != 0 && errno != EINVAL)) {
    throw ResourceError(fmt::format("{}: {}", folder.string(), std::generic_category().message(errno)));
  }
}

void put_meta(Database& database, std::string_view name, std::span<const std::byte> value) {
  Statement(database, "INSERT INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

std::vector<std::byte> take_meta(Database& database, std::string_view name) {
  Statement query(database, "SELECT value FROM meta WHERE name = ?");
  query.bind(name);
  return query.next() ? query.bytes(0) : std::vector<std::byte>{};
}

std::string sealed_text(const LiveIdentity& identity) {
  return fmt::format("{}\n{}\n{}", identity.role, identity.session, identity.parameters);
}

std::string place_of(const LiveIdentity& identity, int table, std::span<const std::byte> key) {
  return fmt::format("live {} {} of {} in session {}", table, hex(key), identity.role, identity.session);
}

// VACUUM INTO leaves that to others.
void sync_file(const fs::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0) {
    throw ResourceError(file.string() + ": cannot be written: make room, and try again");
  }
}

std::string log_place(const LiveIdentity& identity, std::int64_t number) {
  return fmt::format("live log {} of {} in session {}", number, identity.role, identity.session);
}

std::int64_t kind_of(LiveTable table) { return static_cast<std::int64_t>(table); }

}  // namespace

SealingKey live_store_key(std::span<const std::byte> secret, const LiveIdentity& identity) {
  return SealingKey::derive(secret, fmt::format("live rows of {} in session {}", identity.role, identity.session));
}

bool LiveStore::exists(const fs::path& folder) { return file_exists(database_of(folder)); }

void LiveStore::create(const fs::path& folder, const LiveIdentity& identity, const SealingKey& key) {
  std::error_code error;  // what cannot be made is told below
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  make_private_folder(folder);
  require_private(folder, "run `chmod 700` on it");
  if (exists(folder)) throw InputError(folder.string(), "holds the store of a service already: choose another folder");
  // It gets its name once it is whole: who is killed before that begins again.
  const fs::path path = folder / "live.new";
  for (const char* const leftover : {"live.new", "live.new-wal", "live.new-shm"}) fs::remove(folder / leftover, error);
  if (!make_private_file(path)) throw ResourceError(path.string() + ": is made by another process");
  try {
    Database database(path, lost_room);
    database.execute("PRAGMA journal_mode = WAL");
    Transaction transaction(database);
    database.execute(live_schema);
    database.execute(log_schema);
    put_meta(database, "role", bytes_of(identity.role));
    put_meta(database, "session", bytes_of(identity.session));
    put_meta(database, "parameters", bytes_of(identity.parameters));
    put_meta(database, "seal", key.seal(bytes_of(sealed_text(identity)), place_of(identity, 0, {})));
    transaction.commit();
  } catch (...) {
    fs::remove(path, error);
    throw;
  }
  fs::rename(path, database_of(folder), error);
  if (error) throw ResourceError(fmt::format("{}: {}", path.string(), error.message()));
  sync_folder(folder);
}

std::uint64_t LiveStore::bytes(const fs::path& folder) {
  std::uint64_t sum = 0;
  for (const char* const name : {"live.db", "live.db-wal"}) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / name, error);
    if (!error) sum += size;
  }
  return sum;
}

LiveStore::LiveStore(const fs::path& folder, LiveIdentity identity, SealingKey key)
    : identity_(std::move(identity)), key_(std::move(key)), cache_(bytes_of_cache) {
  if (!exists(folder)) throw InputError(folder.string(), "holds no store of a service");
  require_private(folder, "run `chmod 700` on it");
  require_private(database_of(folder), "run `chmod 600` on it");
  database_ = std::make_unique<Database>(database_of(folder), lost_room);
  check_version();
  check_identity();
  database_->execute(pace);
  get_ = std::make_unique<Statement>(*database_, "SELECT sealed FROM rows WHERE kind = ? AND key = ?");
  put_ = std::make_unique<Statement>(*database_, "INSERT OR REPLACE INTO rows VALUES (?, ?, ?)");
  erase_ = std::make_unique<Statement>(*database_, "DELETE FROM rows WHERE kind = ? AND key = ?");
  if (const auto version = database_->number("PRAGMA user_version"); version < live_version) bring_forward(version);
  log_ = std::make_unique<Statement>(*database_, "INSERT INTO log VALUES (?, ?)");
  read_log();
}

void LiveStore::check_version() {
  const std::string file = database_->path().string();
  const std::int64_t version = database_->number("PRAGMA user_version");
  if (database_->number("PRAGMA application_id") != live_application || version < 1) {
    throw InputError(file, "is no store of a service, or one that was never finished");
  }
  if (version > live_version) {
    throw InputError(file,
                     fmt::format("was written by a newer sotto (version {}, this one knows {}): start the role with "
                                 "that; nothing was changed",
                                 version, live_version));
  }
}

void LiveStore::check_identity() {
  const std::string file = database_->path().string();
  database_->check_pages();
  const std::string role = text_of(take_meta(*database_, "role"));
  if (role != identity_.role) {
    throw InputError(file, fmt::format("is the store of {}, not of {}: give each role a folder of its own",
                                       role.empty() ? "nobody" : role, identity_.role));
  }
  const std::string session = text_of(take_meta(*database_, "session"));
  if (session != identity_.session) {
    throw InputError(file, fmt::format("is of another service (session {}, not {})", session, identity_.session));
  }
  const std::string parameters = text_of(take_meta(*database_, "parameters"));
  if (const auto what = net::first_difference(identity_.parameters, parameters, "when the service was begun")) {
    throw InputError(file, fmt::format("the parameters of the service were changed: {}; that is a new service", *what));
  }
  const auto seal = key_.open(take_meta(*database_, "seal"), place_of(identity_, 0, {}));
  if (!seal || text_of(*seal) != sealed_text(identity_)) {
    throw InputError(file, fmt::format("does not open with the key of {}: it was made with another key, or is damaged; "
                                       "nothing was changed",
                                       identity_.role));
  }
}

void LiveStore::read_log() {
  Statement query(*database_, "SELECT number, sealed FROM log ORDER BY number");
  while (query.next()) {
    const std::vector<std::byte> sealed = query.bytes(1);
    const auto bytes = key_.open(sealed, log_place(identity_, query.number(0)));
    std::optional<RowChanges> changes;
    if (bytes && query.number(0) == logged_ + 1) changes = decode_row_changes(*bytes);
    if (!changes) refuse(fmt::format("change {} of its log", query.number(0)));
    ++logged_;
    logged_bytes_ += sealed.size();
    for (auto& [key, row] : *changes) pending_.insert_or_assign(key, std::move(row));
  }
}

void LiveStore::refuse(const std::string& damage) const {
  throw InputError(
      database_->path().string(),
      fmt::format("the store is damaged ({}): nothing was changed; bring back a copy of the folder", damage));
}

LiveRow LiveStore::opened(const RowKey& key, const std::vector<std::byte>& sealed) const {
  auto row = key_.open(sealed, place_of(identity_, static_cast<int>(key.table), key.key));
  if (row) return std::move(*row);
  refuse(fmt::format("row {} of table {} does not decrypt", hex(key.key), static_cast<int>(key.table)));
}

std::optional<LiveRow> LiveStore::get(const RowKey& key) const {
  if (const auto changed = pending_.find(key); changed != pending_.end()) return changed->second;
  if (keys_ && !keys_->may_hold(key)) return std::nullopt;
  if (const auto* known = cache_.find(key)) return *known;
  std::optional<LiveRow> row = read(key);
  cache_.put(key, row);
  return row;
}

std::optional<LiveRow> LiveStore::read(const RowKey& key) const {
  get_->again().bind(kind_of(key.table)).bind(std::span<const std::byte>(key.key));
  std::optional<std::vector<std::byte>> sealed;
  if (get_->next()) sealed = get_->bytes(0);
  // A statement that has begun to read holds what it reads.
  get_->again();
  if (!sealed) return std::nullopt;
  return opened(key, *sealed);
}

void LiveStore::each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const {
  Statement query(*database_, "SELECT key, sealed FROM rows WHERE kind = ? ORDER BY key");
  query.bind(kind_of(table));
  auto changed = pending_.lower_bound(RowKey{table, {}});
  const auto has_changed = [&] { return changed != pending_.end() && changed->first.table == table; };
  // Whether to go on.
  const auto take_changed = [&] {
    const auto& [key, row] = *changed++;
    return !row || take(key, *row);
  };
  while (query.next()) {
    const RowKey key = stored_key(*database_, kind_of(table), query.bytes(0));
    while (has_changed() && changed->first < key) {
      if (!take_changed()) return;
    }
    // As it was before its change, which is taken before the next.
    if (has_changed() && changed->first == key) continue;
    if (!take(key, opened(key, query.bytes(1)))) return;
  }
  while (has_changed()) {
    if (!take_changed()) return;
  }
}

// Version 2 had no log. Version 1 had no counts of recoveries, which stand at the end of the row of the epoch, and nothing of
// agreement, which stands in the rows of the chain behind mark, mode, restated, decided and learned. All of it begins with
// zeros.
void LiveStore::bring_forward(std::int64_t version) {
  copy_to(fs::path(database_->path()) += fmt::format(".v{}", version));
  RowChanges changes;
  if (version == 1) changes = from_version_1();
  Transaction transaction(*database_);
  put_rows(changes);
  database_->execute(log_schema);
  transaction.commit();
}

RowChanges LiveStore::from_version_1() const {
  constexpr std::size_t recoveries = 3 * 8;
  constexpr std::size_t before_agreement = (8 + 32 + 4 + 32) + 1 + 1 + 8 + 8;
  constexpr std::size_t agreement = 8 + 1 + 8 + 8 + 8 + 8 + 2 * (8 + 8);
  RowChanges changes;
  each(LiveTable::epoch, [&](const RowKey& key, LiveRow row) {
    row.resize(row.size() + recoveries);
    changes.emplace(key, std::move(row));
    return true;
  });
  each(LiveTable::chain, [&](const RowKey& key, LiveRow row) {
    if (row.size() < before_agreement) throw InputError(database_->path().string(), "the store is damaged (chain)");
    row.insert(row.begin() + before_agreement, agreement, std::byte{0});
    changes.emplace(key, std::move(row));
    return true;
  });
  return changes;
}

// What an earlier try has left there is written over.
void LiveStore::copy_to(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  if (!make_private_file(file)) throw ResourceError(file.string() + ": is made by another process");
  Statement(*database_, "VACUUM INTO ?").bind(std::string_view(file.native())).run();
  sync_file(file);
}

void LiveStore::prepare_to_serve() {
  keys_.emplace(*database_);
  lengthen_wal();
}

// By a transaction that does not fit into memory, and is taken back: what still fits is less than a megabyte.
void LiveStore::lengthen_wal() {
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

void LiveStore::back_up(const fs::path& into) {
  make_private_folder(into);
  require_private(into, "run `chmod 700` on it");
  if (exists(into)) throw InputError(into.string(), "holds the store of a service already: choose another folder");
  copy_to(database_of(into));
}

void LiveStore::change_key(const SealingKey& key) {
  write_through({});
  std::vector<RowKey> keys;
  {
    Statement all(*database_, "SELECT kind, key FROM rows");
    while (all.next()) keys.push_back(stored_key(*database_, all.number(0), all.bytes(1)));
  }
  Transaction transaction(*database_);
  Statement update(*database_, "UPDATE rows SET sealed = ? WHERE kind = ? AND key = ?");
  for (const RowKey& row : keys) {
    const std::string place = place_of(identity_, static_cast<int>(row.table), row.key);
    const auto sealed = key.seal(get(row).value(), place);
    const std::span<const std::byte> at(row.key);
    update.again().bind(std::span<const std::byte>(sealed)).bind(kind_of(row.table)).bind(at).run();
  }
  const auto seal = key.seal(bytes_of(sealed_text(identity_)), place_of(identity_, 0, {}));
  Statement(*database_, "UPDATE meta SET value = ? WHERE name = 'seal'").bind(std::span<const std::byte>(seal)).run();
  transaction.commit();
}

void LiveStore::commit(const RowChanges& changes) {
  try {
    const auto add = [](std::size_t sum, const auto& change) {
      return sum + (change.second ? change.second->size() : 0);
    };
    const std::size_t bytes = std::accumulate(changes.begin(), changes.end(), logged_bytes_, add);
    const bool is_small = pending_.size() + changes.size() <= most_pending && bytes <= most_logged_bytes;
    is_small ? append(changes) : write_through(changes);
  } catch (...) {
    cache_.clear();
    throw;
  }
}

void LiveStore::at_rest() {
  if (pending_.size() >= many_at_rest) write_through({});
  if (keys_) keys_->at_rest();
  nonces_.top_up();
}

// A transaction of its own.
void LiveStore::append(const RowChanges& changes) {
  const auto sealed = key_.seal(encode(changes), log_place(identity_, logged_ + 1), nonces_);
  log_->again().bind(logged_ + 1).bind(std::span<const std::byte>(sealed)).run();
  log_->again();
  ++logged_;
  logged_bytes_ += sealed.size();
  for (const auto& [key, row] : changes) pending_.insert_or_assign(key, row);
}

void LiveStore::write_through(const RowChanges& changes) {
  RowChanges all = changes;
  all.insert(pending_.begin(), pending_.end());  // but what changes again
  Transaction transaction(*database_);
  put_rows(all);
  database_->execute("DELETE FROM log");
  transaction.commit();
  pending_.clear();
  logged_ = 0;
  logged_bytes_ = 0;
  for (auto& [key, row] : all) cache_.put(key, std::move(row));
}

void LiveStore::put_rows(const RowChanges& changes) {
  for (const auto& [key, row] : changes) {
    const std::span<const std::byte> place(key.key);
    if (!row) {
      erase_->again().bind(kind_of(key.table)).bind(place).run();
      continue;
    }
    const auto sealed = key_.seal(*row, place_of(identity_, static_cast<int>(key.table), place), nonces_);
    if (keys_) keys_->add(key);
    put_->again().bind(kind_of(key.table)).bind(place).bind(std::span<const std::byte>(sealed)).run();
  }
  put_->again();
  erase_->again();
}

}  // namespace sotto::apps
