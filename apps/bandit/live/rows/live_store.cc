#include "sotto/apps/bandit/live/rows/live_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/wire/hex.h"
#include "sotto/net/mesh/handshake/hello.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t live_application = 0x736f746c;  // "sotl"
constexpr std::int64_t live_version = 1;
constexpr const char* live_schema =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;CREATE TABLE rows (kind INTEGER NOT "
    "NULL, key BLOB NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;PRAGMA application_id = "
    "0x736f746c;PRAGMA user_version = 1;";
constexpr const char* lost_room = "the service goes on by itself; what it has acknowledged is kept";

fs::path database_of(const fs::path& folder) { return folder / "live.db"; }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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
  const fs::path path = database_of(folder);
  if (!make_private_file(path)) throw ResourceError(path.string() + ": is made by another process");
  try {
    Database database(path, lost_room);
    database.execute("PRAGMA journal_mode = WAL");
    Transaction transaction(database);
    database.execute(live_schema);
    put_meta(database, "role", bytes_of(identity.role));
    put_meta(database, "session", bytes_of(identity.session));
    put_meta(database, "parameters", bytes_of(identity.parameters));
    put_meta(database, "seal", key.seal(bytes_of(sealed_text(identity)), place_of(identity, 0, {})));
    transaction.commit();
  } catch (...) {
    std::error_code ignored;  // nothing was stored in it yet
    fs::remove(path, ignored);
    throw;
  }
}

LiveStore::LiveStore(const fs::path& folder, LiveIdentity identity, SealingKey key)
    : identity_(std::move(identity)), key_(std::move(key)) {
  if (!exists(folder)) throw InputError(folder.string(), "holds no store of a service");
  require_private(folder, "run `chmod 700` on it");
  require_private(database_of(folder), "run `chmod 600` on it");
  database_ = std::make_unique<Database>(database_of(folder), lost_room);
  check_identity();
}

void LiveStore::check_identity() {
  const std::string file = database_->path().string();
  const std::int64_t version = database_->number("PRAGMA user_version");
  if (database_->number("PRAGMA application_id") != live_application || version < 1) {
    throw InputError(file, "is no store of a service, or one that was never finished");
  }
  if (version != live_version) {
    throw InputError(file, fmt::format("was written by another version of sotto (schema {}, this one has {})", version,
                                       live_version));
  }
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

LiveRow LiveStore::opened(const RowKey& key, const std::vector<std::byte>& sealed) const {
  auto row = key_.open(sealed, place_of(identity_, static_cast<int>(key.table), key.key));
  if (row) return std::move(*row);
  throw InputError(database_->path().string(),
                   fmt::format("the store is damaged (row {} of table {} does not decrypt): nothing was changed; bring "
                               "back a copy of the folder",
                               hex(key.key), static_cast<int>(key.table)));
}

std::optional<LiveRow> LiveStore::get(const RowKey& key) const {
  Statement query(*database_, "SELECT sealed FROM rows WHERE kind = ? AND key = ?");
  query.bind(kind_of(key.table)).bind(std::span<const std::byte>(key.key));
  if (!query.next()) return std::nullopt;
  return opened(key, query.bytes(0));
}

void LiveStore::each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const {
  Statement query(*database_, "SELECT key, sealed FROM rows WHERE kind = ? ORDER BY key");
  query.bind(kind_of(table));
  while (query.next()) {
    const std::vector<std::byte> bytes = query.bytes(0);
    RowKey key{table, {}};
    if (bytes.size() != key.key.size()) {
      throw InputError(database_->path().string(), "the store is damaged (a key): bring back a copy of the folder");
    }
    std::copy(bytes.begin(), bytes.end(), key.key.begin());
    if (!take(key, opened(key, query.bytes(1)))) return;
  }
}

void LiveStore::commit(const RowChanges& changes) {
  Transaction transaction(*database_);
  Statement put(*database_, "INSERT OR REPLACE INTO rows VALUES (?, ?, ?)");
  Statement erase(*database_, "DELETE FROM rows WHERE kind = ? AND key = ?");
  for (const auto& [key, row] : changes) {
    const std::span<const std::byte> place(key.key);
    if (!row) {
      erase.again().bind(kind_of(key.table)).bind(place).run();
      continue;
    }
    const auto sealed = key_.seal(*row, place_of(identity_, static_cast<int>(key.table), place));
    put.again().bind(kind_of(key.table)).bind(place).bind(std::span<const std::byte>(sealed)).run();
  }
  transaction.commit();
}

}  // namespace sotto::apps
