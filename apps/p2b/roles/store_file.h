// The SQLite files of the P2B roles: the shuffler's queue, the server's survivors. A file is made where there is none,
// with mode 0600; one that others can read, of another kind or of a newer version is refused (InputError), one that
// another process holds is ResourceError. A fault
// between two steps of its making leaves a file that is completed next time.
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
  const char* what;         // "the queue of a shuffler"
  std::int64_t identifier;  // SQLite's application_id
  const char* schema;       // its tables; a table meta(name, value) is made as well
};

// Opens the file, or makes it. WAL, synchronous FULL, deleted rows overwritten.
[[nodiscard]] std::unique_ptr<Database> open_store_file(const std::filesystem::path& path, const StoreKind& kind);

// SQLite's integers are signed: the same bits.
[[nodiscard]] constexpr std::int64_t as_row(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

// Rows of the table meta.
[[nodiscard]] std::optional<std::vector<std::byte>> meta_value(Database& database, std::string_view name);
void set_meta(Database& database, std::string_view name, std::span<const std::byte> value);

// Keeps the terms with which the file was made, and refuses others (InputError).
void keep_terms(Database& database, const P2bTerms& terms, const StoreKind& kind);

// Bytes of the operating system's generator. Throws ResourceError.
[[nodiscard]] QueueId random_id();

// What the server has taken from shufflers, in one SQLite file: the tuples of every part of every batch, in the order
// in which the shuffler sent them, a row a part under the name of the part. A part that comes again, after an answer
// was lost, is known by its name and not taken twice. Nothing in it says who a tuple is of.
//
// take() is on the disk when it returns. Errors: those of open_store_file(); InputError where the file was made with
// other terms or is damaged; ResourceError where the disk is full.
class SurvivorStore {
 public:
  SurvivorStore(const std::filesystem::path& path, const P2bTerms& terms);

  // False where the store has that part already: nothing is done then.
  bool take(const SurvivorPart& part);
  // Calls `use` with the tuples of each part.
  void replay(const std::function<void(std::span<const Tuple>)>& use);

  [[nodiscard]] std::uint64_t tuples() const noexcept { return tuples_; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }

 private:
  std::unique_ptr<Database> database_;
  std::uint64_t tuples_ = 0;
  std::uint64_t batches_ = 0;  // of which all parts are here
};

// Which users have reported, and the nonce of each one's report: two tables of the shuffler's queue.
//
//     users    mark, nonce: a B-tree in the order of marks
//     recent   groups of marks and nonces that are not in `users` yet, under random keys
//
// Marks are uniform, so that a row of its own for each would touch a page of its own each time. They are written in
// groups, held in memory as well (16 MiB), and moved to `users` in the order of marks once there are many. A Bloom
// filter (16 MiB: one in a hundred for 14 million users) says of most users that are new that they are, without looking
// into the table. All of it happens in the caller's transaction; where that fails, the object is of no more use.

// What the shuffler remembers of a user that has reported: a keyed hash of its token (SipHash-2-4), which nobody
// computes without the key. Two of ten million users get the same mark with a chance below three in a million; the
// second of them is then taken for the first.
class UserMarks {
 public:
  // Throws ResourceError where OpenSSL has no SipHash.
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
  // With a group on top, half of the slots.
  static constexpr std::size_t most_recent = (std::size_t{1} << 19) - 65'536;

  // Reads all marks. Throws InputError where that is damaged. `most` is for tests.
  explicit KnownUsers(Database& database, std::size_t most = most_recent);

  // The nonce of the user's report, if it has reported.
  [[nodiscard]] std::optional<std::uint64_t> report_of(std::uint64_t mark);
  // A user that report_of() does not know.
  void add(std::uint64_t mark, std::uint64_t nonce);
  // Writes those that were added since the last call: before the transaction is committed.
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
  std::vector<Entry> slots_;  // open addressing; mark 0 is an empty one
  std::size_t held_ = 0;
  std::vector<Entry> added_;
  std::vector<std::uint64_t> filter_;  // bits; of `users` alone
};

}  // namespace sotto::apps::p2b
