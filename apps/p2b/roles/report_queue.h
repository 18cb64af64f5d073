// The shuffler's durable queue: reports that wait for their batch, the users that have reported, and
// batches that the server has not taken yet, in one SQLite file.
//
//     table      a row
//     users      mark of a user (user_marks.h), nonce of its report; and recent: known_users.h
//     waiting    code, arm, reward, and how many reports that wait say so
//     outgoing   batch, part, number of parts, tuples of survivors in their shuffled order
//     counters   name, value: reports, batches, kept, dropped, codes_dropped
//     meta       in clear: terms, a random id of the queue, a check of the key
//
// What waits is a multiset: it has no order and no users, so neither the order of arrival nor who
// sent what can be read from the tables. The users' rows say that a user has reported and hold
// nothing of what; the nonce is a random number that its agent drew. SQLite's log, queue-wal, holds
// the last pages as they were written, those of one group of reports together, until it is written
// over: who takes it from the disk learns which users were in a group with which tuples.
//
// take() is on the disk when it returns, in transactions of many reports: what was acknowledged after
// it is never lost, and what was not is sent again and known by its user and nonce. A batch is closed
// in the transaction that fills it. What take() holds in memory is a batch and the messages given to
// it. Errors: those of open_store_file(); InputError where the
// queue was made with other terms or another key; ResourceError where the disk is full, and all that
// take() had not committed is then unknown to the queue. One that has thrown is of no more use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/dp/coins.h"
#include "apps/p2b/roles/known_users.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/user_marks.h"
#include "apps/state/database.h"
#include "core/random/seed.h"

namespace sotto::apps {

inline constexpr std::uint64_t largest_batch = 10'000'000;

// Since the queue was made.
struct QueueCounts {
  std::uint64_t reports = 0;  // counted: one a user
  std::uint64_t waiting = 0;  // of these, for a batch
  std::uint64_t batches = 0;  // closed
  std::uint64_t kept = 0;     // tuples in them that are released
  std::uint64_t dropped = 0;  // whose code occurred too seldom
  std::uint64_t codes_dropped = 0;
  std::uint64_t parts_to_deliver = 0;
};

struct ClosedBatch {
  std::uint64_t number = 0;
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
};

// What became of the reports of one message.
struct Taken {
  std::uint32_t counted = 0;
  std::uint32_t repeated = 0;
  std::uint32_t second = 0;
};

class ReportQueue {
 public:
  // `batch_size` is from the threshold to largest_batch. What waits and fills a batch is closed at
  // once.
  ReportQueue(const std::filesystem::path& path, const P2bTerms& terms, std::uint64_t batch_size,
              const Seed& key, Coins coins);

  // Takes messages of reports that are within the terms; `ends` are where each of them ends among
  // `reports`. Gives an entry a message. Closes every batch that becomes full.
  std::vector<Taken> take(std::span<const Report> reports, std::span<const std::size_t> ends);

  // Closes a batch of all that waits. Nothing where that is fewer than the threshold: those are held.
  std::optional<ClosedBatch> release();

  // Batches that were closed since the last call, in this process.
  [[nodiscard]] std::vector<ClosedBatch> take_closed();

  // The first part that is not delivered yet.
  [[nodiscard]] std::optional<SurvivorPart> next_part();
  // The server has it on its disk.
  void delivered(const PartName& name);

  [[nodiscard]] QueueCounts counts();
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::uint64_t parts_to_deliver() const noexcept { return parts_; }
  [[nodiscard]] const QueueId& id() const noexcept { return id_; }
  [[nodiscard]] const P2bTerms& terms() const noexcept { return terms_; }

 private:
  struct Entry;
  void insert(std::span<const Entry> entries, std::vector<Taken>& taken);
  void add_to_waiting(std::vector<Tuple> tuples);
  ClosedBatch close_waiting();
  [[nodiscard]] std::vector<Tuple> all_waiting();
  void write_parts(std::uint64_t batch, std::span<const Tuple> survivors);
  void settle(const ClosedBatch& batch);
  void add(const char* name, std::uint64_t value);
  [[nodiscard]] std::uint64_t counter(const char* name);

  P2bTerms terms_;
  std::uint64_t batch_size_;
  UserMarks marks_;
  Coins coins_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<KnownUsers> users_;
  QueueId id_{};
  std::uint64_t waiting_ = 0;
  std::uint64_t parts_ = 0;  // to deliver
  std::vector<ClosedBatch> closed_;
};

}  // namespace sotto::apps
