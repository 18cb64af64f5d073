// The SQLite files of the P2B roles: the shuffler's queue and the server's survivors. open_store_file() creates a
// missing file with mode 0600. InputError: other users can read the file, or the file has another kind or version.
// ResourceError: another process has opened the file. If creating a file is interrupted, the next start completes the
// file.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/kit/store/database.h"
#include "apps/p2b/roles/messages.h"
#include "sotto/protocol/random/seed.h"

struct evp_mac_ctx_st;

namespace sotto::apps::p2b {

struct StoreKind {
  const char* what;
  std::int64_t identifier;  // SQLite's application_id
  const char* schema;       // SQL that makes the tables of this kind; open_store_file() adds a table meta(name, value)
};

// SQLite runs in WAL mode with synchronous FULL, and overwrites deleted rows.
[[nodiscard]] std::unique_ptr<Database> open_store_file(const std::filesystem::path& path, const StoreKind& kind);

[[nodiscard]] constexpr std::int64_t as_row(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

[[nodiscard]] std::optional<std::vector<std::byte>> meta_value(Database& database, std::string_view name);
void set_meta(Database& database, std::string_view name, std::span<const std::byte> value);

// Saves the terms in a new file. Throws InputError if an existing file has other terms.
void keep_terms(Database& database, const P2bTerms& terms, const StoreKind& kind);

[[nodiscard]] QueueId random_id();

// The tuples that the server has received from shufflers, in one SQLite file. Nothing in the file identifies the user
// of a tuple.
//
// When take() returns, the part is on the disk. Throws the errors of open_store_file(). Throws InputError if the file
// was made with other terms or is damaged. Throws ResourceError if the disk is full.
class SurvivorStore {
 public:
  SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms);

  // Returns false if the store had the part already.
  bool take(const SurvivorPart& part);
  void replay(const std::function<void(std::span<const Tuple>)>& use);

  [[nodiscard]] std::uint64_t tuples() const noexcept { return tuples_; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

 private:
  std::unique_ptr<Database> database_;
  std::uint64_t tuples_ = 0;
  std::uint64_t batches_ = 0;
};

// The shuffler's mark of a user that has reported: a keyed hash of the user's token (SipHash-2-4). Nobody can compute a
// mark without the key. The probability that any two of ten million users have the same mark is below three in a
// million. The shuffler would then treat the second user as the first.
class UserMarks {
 public:
  explicit UserMarks(const Seed& key);
  ~UserMarks();
  UserMarks(const UserMarks&) = delete;
  UserMarks& operator=(const UserMarks&) = delete;

  [[nodiscard]] std::uint64_t of(const UserToken& user);

 private:
  evp_mac_ctx_st* context_ = nullptr;
};

// The users that have reported, with the nonce of each user's report: two tables of the shuffler's queue.
//
//     users    mark, nonce: a B-tree in the order of marks
//     recent   groups of marks and nonces that are not in `users` yet, under random keys
//
// Marks are uniform, so each insert into `users` would change another page of the file. KnownUsers therefore keeps new
// marks in memory (16 MiB) and in `recent`, and later moves them to `users` in the order of marks. A Bloom filter (16
// MiB, one false positive in a hundred at 14 million users) saves most queries of `users`. All reads and writes happen
// in the caller's transaction. If the transaction fails, do not use the KnownUsers object again.
class KnownUsers {
 public:
  static constexpr const char* schema =
      "CREATE TABLE users (mark INTEGER PRIMARY KEY, report INTEGER NOT NULL);CREATE TABLE recent (number INTEGER "
      "PRIMARY KEY, marks BLOB NOT NULL);";
  static constexpr std::size_t most_recent = (std::size_t{1} << 19) - 65'536;

  // Throws InputError if the table is damaged.
  explicit KnownUsers(Database& database, std::size_t most = most_recent);

  [[nodiscard]] std::optional<std::uint64_t> report_of(std::uint64_t mark);
  void add(std::uint64_t mark, std::uint64_t nonce);
  // Call this function before the transaction is committed.
  void write();

 private:
  struct Entry {
    std::uint64_t mark = 0;
    std::uint64_t nonce = 0;
  };
  [[nodiscard]] Entry& slot(std::uint64_t mark);
  void remember(const Entry& entry);
  void note(std::uint64_t mark);
  [[nodiscard]] bool may_be_known(std::uint64_t mark) const;
  void move_to_users();

  Database& database_;
  Statement find_;
  std::size_t most_;
  std::vector<Entry> slots_;  // open addressing; mark 0 is an empty slot
  std::size_t held_ = 0;
  std::vector<Entry> added_;
  std::vector<std::uint64_t> filter_;
};

}  // namespace sotto::apps::p2b
