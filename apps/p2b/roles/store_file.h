// The SQLite files of the P2B roles: the shuffler's queue and the server's survivors. A missing file is created with
// mode 0600. A file that other users can read, or that has another kind or another version, is refused (InputError). A
// file that another process has open causes a ResourceError. If creating a file is interrupted, the next start
// completes the file.
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
  const char* what;         // name for messages, such as "the queue of a shuffler"
  std::int64_t identifier;  // SQLite's application_id
  const char* schema;       // SQL that makes the kind's tables; a table meta(name, value) is added
};

// Opens the file, or creates it. SQLite's settings are: WAL mode, synchronous FULL, and overwriting of deleted rows.
[[nodiscard]] std::unique_ptr<Database> open_store_file(const std::filesystem::path& path, const StoreKind& kind);

// Converts to SQLite's signed integers without changing the bits.
[[nodiscard]] constexpr std::int64_t as_row(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

// Reads and writes rows of the table meta.
[[nodiscard]] std::optional<std::vector<std::byte>> meta_value(Database& database, std::string_view name);
void set_meta(Database& database, std::string_view name, std::span<const std::byte> value);

// Stores the terms in a new file. Throws InputError if an existing file has other terms.
void keep_terms(Database& database, const P2bTerms& terms, const StoreKind& kind);

// Random bytes from the operating system. Throws ResourceError.
[[nodiscard]] QueueId random_id();

// The tuples that the server has taken from shufflers, in one SQLite file. Each part of each batch is one row,
// identified by the name of the part, with the part's tuples in the shuffler's order. A part that comes again after a
// lost answer is recognised by its name and not taken twice. Nothing in the file identifies the user of a tuple.
//
// When take() returns, the part is on the disk. Errors: the errors of open_store_file(); InputError if the file was
// made with other terms or is damaged; ResourceError if the disk is full.
class SurvivorStore {
 public:
  SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms);

  // Adds a part. If the store already has the part, does nothing and returns false.
  bool take(const SurvivorPart& part);
  // Calls `use` with the tuples of each part.
  void replay(const std::function<void(std::span<const Tuple>)>& use);

  [[nodiscard]] std::uint64_t tuples() const noexcept { return tuples_; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

 private:
  std::unique_ptr<Database> database_;
  std::uint64_t tuples_ = 0;
  std::uint64_t batches_ = 0;  // number of complete batches
};

// The users that have reported, with the nonce of each user's report: two tables of the shuffler's queue.
//
//     users    mark, nonce: a B-tree in the order of marks
//     recent   groups of marks and nonces that are not in `users` yet, under random keys
//
// Marks are uniform, so inserting each mark on its own would touch a different page each time. New marks are therefore
// written in groups and also held in memory (16 MiB). Once there are many new marks, they are moved to `users` in the
// order of marks. A Bloom filter (16 MiB, one false positive in a hundred at 14 million users) identifies most new
// users without a query of the table `users`. All reads and writes happen in the caller's transaction; if the
// transaction fails, the KnownUsers object must not be used again.

// The shuffler's mark of a user that has reported: a keyed hash of the user's token (SipHash-2-4). Nobody can compute a
// mark without the key. The chance that any two of ten million users get the same mark is below three in a million; the
// shuffler would then treat the second user as the first.
class UserMarks {
 public:
  // Throws ResourceError if OpenSSL has no SipHash.
  explicit UserMarks(const Seed& key);
  ~UserMarks();
  UserMarks(const UserMarks&) = delete;
  UserMarks& operator=(const UserMarks&) = delete;

  [[nodiscard]] std::uint64_t of(const UserToken& user);

 private:
  evp_mac_ctx_st* context_ = nullptr;
};

class KnownUsers {
 public:
  static constexpr const char* schema =
      "CREATE TABLE users (mark INTEGER PRIMARY KEY, report INTEGER NOT NULL);CREATE TABLE recent (number INTEGER "
      "PRIMARY KEY, marks BLOB NOT NULL);";
  // The largest number of marks outside the table `users`. With one more group of marks, half of the slots would be
  // used.
  static constexpr std::size_t most_recent = (std::size_t{1} << 19) - 65'536;

  // Reads all marks. Throws InputError if the table is damaged. Only tests set `most`.
  explicit KnownUsers(Database& database, std::size_t most = most_recent);

  // The nonce of the user's report; nothing if the user has not reported.
  [[nodiscard]] std::optional<std::uint64_t> report_of(std::uint64_t mark);
  // Adds a user that report_of() does not know.
  void add(std::uint64_t mark, std::uint64_t nonce);
  // Writes the users that were added since the last call. Call write() before the transaction is committed.
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
  std::vector<std::uint64_t> filter_;  // the bits of the Bloom filter for the marks in the table `users`
};

}  // namespace sotto::apps::p2b
