#include "apps/p2b/roles/store_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/private_path.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::p2b {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t schema_version = 1;

void make_tables(Database& database, const StoreKind& kind) {
  Transaction transaction(database);
  database.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID");
  database.execute(kind.schema);
  database.execute(fmt::format("PRAGMA application_id = {}", kind.identifier).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
  transaction.commit();
}

constexpr StoreKind survivors_kind{
    "the survivors of a P2B server", 0x73503273,  // "sP2s"
    "CREATE TABLE parts (queue BLOB, batch INTEGER, part INTEGER, parts INTEGER NOT NULL, tuples "
    "BLOB NOT NULL, PRIMARY KEY (queue, batch, part));"};

constexpr const char* count_batches =
    "SELECT count(*) FROM (SELECT 1 FROM parts GROUP BY queue, batch HAVING count(*) = max(parts))";

}  // namespace

std::unique_ptr<Database> open_store_file(const fs::path& path, const StoreKind& kind) {
  make_private_file(path);
  if (std::error_code ignored; !fs::is_regular_file(path, ignored)) throw InputError(path.string(), "is no file");
  require_private(path, "run `chmod 600` on it");
  auto database = std::make_unique<Database>(path, "start this role again; what it has acknowledged is kept");
  const std::int64_t identifier = database->number("PRAGMA application_id");
  const bool empty = database->number("SELECT count(*) FROM sqlite_master") == 0;
  if (identifier != kind.identifier && !(identifier == 0 && empty)) {
    throw InputError(path.string(), fmt::format("is not {}: name another file", kind.what));
  }
  database->execute("PRAGMA journal_mode = WAL");
  database->execute("PRAGMA secure_delete = ON");
  database->execute("PRAGMA cache_size = -65536");
  database->execute("PRAGMA wal_autocheckpoint = 8192");
  if (identifier == 0) make_tables(*database, kind);
  if (const std::int64_t version = database->number("PRAGMA user_version"); version != schema_version) {
    throw InputError(path.string(), fmt::format("{} of version {}; this program reads version {}", kind.what, version,
                                                schema_version));
  }
  return database;
}

std::optional<std::vector<std::byte>> meta_value(Database& database, std::string_view name) {
  Statement query(database, "SELECT value FROM meta WHERE name = ?");
  if (!query.bind(name).next()) return std::nullopt;
  return query.bytes(0);
}

void set_meta(Database& database, std::string_view name, std::span<const std::byte> value) {
  Statement(database, "INSERT INTO meta VALUES (?, ?)").bind(name).bind(value).run();
}

void keep_terms(Database& database, const P2bTerms& terms, const StoreKind& kind) {
  const auto row = meta_value(database, "terms");
  if (!row) {
    set_meta(database, "terms", encode(terms));
    return;
  }
  const auto made_with = decode_p2b_terms(*row);
  if (!made_with) throw InputError(database.path().string(), "the terms in it are damaged");
  if (const std::string other = difference(*made_with, terms); !other.empty()) {
    throw InputError(database.path().string(),
                     fmt::format("{} was made for {}: give the same, or name another file", kind.what, other));
  }
}

QueueId random_id() {
  const Seed seed = Seed::from_os();
  QueueId id;
  std::copy(seed.expose().begin(), seed.expose().end(), id.begin());
  return id;
}

SurvivorStore::SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms)
    : database_(open_store_file(path, survivors_kind)) {
  keep_terms(*database_, terms, survivors_kind);
  tuples_ =
      static_cast<std::uint64_t>(database_->number("SELECT coalesce(sum(length(tuples)), 0) FROM parts")) / tuple_bytes;
  batches_ = static_cast<std::uint64_t>(database_->number(count_batches));
}

bool SurvivorStore::take(const SurvivorPart& part) {
  Transaction transaction(*database_);
  Statement(*database_, "INSERT INTO parts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(std::span<const std::byte>(part.name.queue))
      .bind(static_cast<std::int64_t>(part.name.batch))
      .bind(static_cast<std::int64_t>(part.name.part))
      .bind(static_cast<std::int64_t>(part.parts))
      .bind(encode_tuples(part.tuples))
      .run();
  if (database_->changes() == 0) return false;
  transaction.commit();
  tuples_ += part.tuples.size();
  Statement whole(*database_, "SELECT count(*) = max(parts) FROM parts WHERE queue = ? AND batch = ?");
  whole.bind(std::span<const std::byte>(part.name.queue)).bind(static_cast<std::int64_t>(part.name.batch));
  if (whole.next() && whole.number(0) == 1) ++batches_;
  return true;
}

void SurvivorStore::replay(const std::function<void(std::span<const Tuple>)>& use) {
  Statement query(*database_, "SELECT tuples FROM parts ORDER BY rowid");
  while (query.next()) {
    const auto tuples = decode_tuples(query.bytes(0));
    if (!tuples) throw InputError(database_->path().string(), "a part in it is damaged");
    use(*tuples);
  }
}

}  // namespace sotto::apps::p2b
