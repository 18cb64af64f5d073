#include "apps/p2b/roles/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error/errors.h"
#include "core/random/seed.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t schema_version = 1;

// SQLite gives its own files the mode that the database has.
void make_file(const fs::path& path, const char* what) {
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) {
    ::close(file);
    return;
  }
  if (errno != EEXIST) {
    throw ResourceError(
        fmt::format("{}: {} cannot be made here: {}", path.string(), what, std::strerror(errno)));
  }
}

// As ssh does with keys.
void require_private(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;  // opening it says more
  if (!S_ISREG(status.st_mode)) throw InputError(path.string(), "is no file");
  if ((status.st_mode & 077) != 0) {
    throw InputError(path.string(), fmt::format("others than its owner have access to it (mode "
                                                "{:04o}): run `chmod 600` on it",
                                                status.st_mode & 07777));
  }
}

void make_tables(Database& database, const StoreKind& kind) {
  Transaction transaction(database);
  database.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID");
  database.execute(kind.schema);
  database.execute(fmt::format("PRAGMA application_id = {}", kind.identifier).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
  transaction.commit();
}

}  // namespace

std::unique_ptr<Database> open_store_file(const fs::path& path, const StoreKind& kind) {
  make_file(path, kind.what);
  require_private(path);
  auto database =
      std::make_unique<Database>(path, "start this role again; what it has acknowledged is kept");
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
  if (const std::int64_t version = database->number("PRAGMA user_version");
      version != schema_version) {
    throw InputError(path.string(), fmt::format("{} of version {}; this program reads version {}",
                                                kind.what, version, schema_version));
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
    throw InputError(
        database.path().string(),
        fmt::format("{} was made for {}: give the same, or name another file", kind.what, other));
  }
}

QueueId random_id() {
  const Seed seed = Seed::from_os();
  QueueId id;
  std::copy(seed.expose().begin(), seed.expose().end(), id.begin());
  return id;
}

}  // namespace sotto::apps
