// Which users have reported, and the nonce of each one's report: two tables of the shuffler's queue.
//
//     users    mark, nonce: a B-tree in the order of marks
//     recent   groups of marks and nonces that are not in `users` yet, under random keys
//
// Marks are uniform, so that a row of its own for each would touch a page of its own each time. They are written in
// groups, held in memory as well (16 MiB), and moved to `users` in the order of marks once there are many. A Bloom
// filter (16 MiB: one in a hundred for 14 million users) says of most users that are new that they are, without looking
// into the table. All of it happens in the caller's transaction; where that fails, the object is of no more use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/kit/store/database.h"
#include "apps/p2b/roles/messages.h"
#include "sotto/protocol/random/seed.h"

struct evp_mac_ctx_st;

namespace sotto::apps::p2b {

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
