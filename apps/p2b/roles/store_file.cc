#include "apps/p2b/roles/store_file.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "apps/kit/files/output_file.h"
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

[[noreturn]] void fail() {
  throw ResourceError("OpenSSL cannot run SipHash; check that its default provider is installed");
}

constexpr std::uint64_t filter_bits = std::uint64_t{1} << 27;
constexpr int filter_probes = 6;

std::uint64_t named(std::uint64_t mark) { return mark == 0 ? 1 : mark; }

// The key of the row is random, because a counter would reveal when the row was written.
std::int64_t random_key() {
  const QueueId id = random_id();
  std::int64_t key = 0;
  std::memcpy(&key, id.data(), sizeof key);
  return key;
}

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

UserMarks::UserMarks(const Seed& key) {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  if (mac == nullptr) fail();
  context_ = EVP_MAC_CTX_new(mac);
  EVP_MAC_free(mac);
  unsigned int size = sizeof(std::uint64_t);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
  if (context_ == nullptr || EVP_MAC_init(context_, reinterpret_cast<const unsigned char*>(key.expose().data()),
                                          Seed::size, parameters) != 1) {
    EVP_MAC_CTX_free(context_);
    fail();
  }
}

UserMarks::~UserMarks() { EVP_MAC_CTX_free(context_); }

std::uint64_t UserMarks::of(const UserToken& user) {
  unsigned char out[sizeof(std::uint64_t)];
  std::size_t written = 0;
  // If the key argument is null, OpenSSL uses the previous key again.
  if (EVP_MAC_init(context_, nullptr, 0, nullptr) != 1 ||
      EVP_MAC_update(context_, reinterpret_cast<const unsigned char*>(user.data()), user.size()) != 1 ||
      EVP_MAC_final(context_, out, &written, sizeof out) != 1 || written != sizeof out) {
    fail();
  }
  std::uint64_t mark = 0;
  std::memcpy(&mark, out, sizeof mark);
  return mark;
}

KnownUsers::KnownUsers(Database& database, std::size_t most)
    : database_(database),
      find_(database, "SELECT report FROM users WHERE mark = ?"),
      most_(most),
      slots_(2 * std::bit_ceil(most)),
      filter_(filter_bits / 64) {
  Statement known(database_, "SELECT mark FROM users");
  while (known.next()) note(std::bit_cast<std::uint64_t>(known.number(0)));
  Statement query(database_, "SELECT marks FROM recent");
  while (query.next()) {
    const std::vector<std::byte> bytes = query.bytes(0);
    if (bytes.size() % sizeof(Entry) != 0) {
      throw InputError(database_.path().string(), "the users in it are damaged");
    }
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, bytes.data() + at, sizeof entry);
      remember(entry);
    }
  }
}

KnownUsers::Entry& KnownUsers::slot(std::uint64_t mark) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(mark) & mask;
  while (slots_[at].mark != 0 && slots_[at].mark != mark) at = (at + 1) & mask;
  return slots_[at];
}

void KnownUsers::remember(const Entry& entry) {
  if (2 * (held_ + 1) > slots_.size()) {
    std::vector<Entry> old(2 * slots_.size());
    old.swap(slots_);
    for (const Entry& e : old) {
      if (e.mark != 0) slot(e.mark) = e;
    }
  }
  slot(entry.mark) = entry;
  ++held_;
}

void KnownUsers::note(std::uint64_t mark) {
  std::uint64_t at = mark;
  for (int probe = 0; probe < filter_probes; ++probe, at += (mark >> 32) | 1) {
    filter_[(at % filter_bits) / 64] |= std::uint64_t{1} << (at % 64);
  }
}

bool KnownUsers::may_be_known(std::uint64_t mark) const {
  std::uint64_t at = mark;
  for (int probe = 0; probe < filter_probes; ++probe, at += (mark >> 32) | 1) {
    if ((filter_[(at % filter_bits) / 64] >> (at % 64) & 1) == 0) return false;
  }
  return true;
}

std::optional<std::uint64_t> KnownUsers::report_of(std::uint64_t mark) {
  mark = named(mark);
  if (const Entry& entry = slot(mark); entry.mark != 0) return entry.nonce;
  if (!may_be_known(mark)) return std::nullopt;
  std::optional<std::uint64_t> nonce;
  if (find_.again().bind(as_row(mark)).next()) {
    nonce = std::bit_cast<std::uint64_t>(find_.number(0));
  }
  find_.again();  // resets the query, because an open query would delay the commit
  return nonce;
}

void KnownUsers::add(std::uint64_t mark, std::uint64_t nonce) {
  const Entry entry{named(mark), nonce};
  remember(entry);
  added_.push_back(entry);
}

void KnownUsers::write() {
  if (added_.empty()) return;
  if (held_ >= most_) {
    move_to_users();
    return;
  }
  // The group is sorted by mark, so that the file does not reveal the order in which the users were added.
  std::sort(added_.begin(), added_.end(), [](const Entry& a, const Entry& b) { return a.mark < b.mark; });
  Statement(database_, "INSERT INTO recent VALUES (?, ?)")
      .bind(random_key())
      .bind(std::as_bytes(std::span(added_)))
      .run();
  added_.clear();
}

void KnownUsers::move_to_users() {
  std::vector<Entry> all;
  all.reserve(held_);
  for (const Entry& entry : slots_) {
    if (entry.mark != 0) all.push_back(entry);
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return as_row(a.mark) < as_row(b.mark); });
  Statement insert(database_, "INSERT INTO users VALUES (?, ?)");
  for (const Entry& entry : all) {
    insert.again().bind(as_row(entry.mark)).bind(as_row(entry.nonce)).run();
    note(entry.mark);
  }
  database_.execute("DELETE FROM recent");
  slots_.assign(2 * std::bit_ceil(most_), Entry{});
  held_ = 0;
  added_.clear();
}

}  // namespace sotto::apps::p2b
