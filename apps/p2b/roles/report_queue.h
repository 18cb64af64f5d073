// The shuffler's durable queue: reports that wait for their batch, the users that have reported, and batches that the
// server has not taken yet, in one SQLite file.
//
//     table      a row
//     users      mark of a user (UserMarks), nonce of its report; and recent: store_file.h
//     waiting    code, arm, reward, and how many reports that wait say so
//     outgoing   batch, part, number of parts, tuples of survivors in their shuffled order
//     counters   name, value: reports, batches, kept, dropped, codes_dropped; closes, the tick of the
//                open batch; overflow, reports of it that found no room
//     meta       in clear: terms, a random id of the queue, a check of the key
//
// What waits is a multiset: it has no order and no users, so neither the order of arrival nor who sent what can be read
// from the tables. The users' rows say that a user has reported and hold nothing of what; the nonce is a random number
// that its agent drew. SQLite's log, queue-wal, holds the last pages as they were written, those of one group of
// reports together, until it is written over: a copy of it shows which users were in a group with which tuples.
//
// take() is on the disk when it returns, in transactions of many reports: reports acknowledged after it are never lost,
// and others are sent again and known by their user and nonce.
//
// A batch closes at a tick of the clock (BatchClock), with all that waits then: nothing about it, be it the time,
// its name or its parts, depends on how many reports there are, but for the survivors themselves. So what is below the
// threshold is dropped even where it is all there is: carried over, it would tell by the next batch how many had come.
// A batch without survivors sends nothing, whether reports came or none. A queue that was not open at a tick closes at
// once when it is opened, under the name of that tick.
//
// What waits is limited, since a batch is shuffled in memory. To let in the first ones alone would close the batch by
// count; so of a batch that had more reports than the limit nothing is released at all, and the server sees what it
// sees of an empty one. Reports beyond the limit are acknowledged and counted as ever: no agent learns of it either.
// The limit is to be far from what comes.
//
// Errors: those of open_store_file(); InputError where the queue was made with other terms or another key, or where its
// batch closes so late that the wall clock must be wrong; ResourceError where the disk is full, and all that take() had
// not committed is then unknown to the queue. One that has thrown is of no more use.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/store/database.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/store_file.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::p2b {

// When the shuffler's batches close: at every whole multiple of a period, counted from 1970 in UTC, on the wall clock
// and whatever has been reported. A batch of a period of an hour closes on the hour.
//
// Why a clock: a batch that closes when it is full has a size that everybody knows, and what is missing from it was
// dropped; so the server would learn how many were dropped, which delta does not allow for (apps/p2b/privacy.h). The
// tick is the batch's name as well, so that no number that the server sees counts reports, or batches that had some.
using Tick = std::chrono::sys_seconds;

inline constexpr std::chrono::seconds longest_period{30 * 24 * 3600};

class BatchClock {
 public:
  using Time = std::chrono::system_clock::time_point;
  using Now = std::function<Time()>;

  // `now` is for tests. A period that is not from 1 second to longest_period is std::invalid_argument.
  explicit BatchClock(std::chrono::seconds period, Now now = std::chrono::system_clock::now);

  [[nodiscard]] Time now() const { return now_(); }
  [[nodiscard]] std::chrono::seconds period() const noexcept { return period_; }
  // The first tick that is later.
  [[nodiscard]] Tick tick_after(Time time) const;

 private:
  std::chrono::seconds period_;
  Now now_;
};

// "2026-01-31T10:00:00Z".
[[nodiscard]] std::string tick_text(Tick tick);

inline constexpr std::uint64_t largest_batch = 100'000'000;

struct BatchRules {
  BatchClock clock;
  std::uint64_t most_waiting = 10'000'000;  // 32 bytes of memory each, once it is shuffled
};

// Since the queue was made. Only `kept` may be told to anybody but the shuffler.
struct QueueCounts {
  std::uint64_t reports = 0;  // counted: one a user
  std::uint64_t waiting = 0;  // of these, for a batch
  std::uint64_t batches = 0;  // closed, and there was a report in them
  std::uint64_t kept = 0;     // tuples in them that are released
  std::uint64_t dropped = 0;  // whose code occurred too seldom
  std::uint64_t codes_dropped = 0;
  std::uint64_t parts_to_deliver = 0;
  bool operator==(const QueueCounts&) const = default;
};

// Of these, too, only `kept`.
struct ClosedBatch {
  Tick closed_at{};
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
  bool overfull = false;  // more than fit: all are dropped, and of codes nothing is said
  bool operator==(const ClosedBatch&) const = default;
};

// What became of the reports of one message.
struct Taken {
  std::uint32_t counted = 0;
  std::uint32_t repeated = 0;
  std::uint32_t second = 0;
  bool operator==(const Taken&) const = default;
};

class ReportQueue {
 public:
  // The limit is from the threshold to largest_batch. Closes what is due.
  ReportQueue(const std::filesystem::path& path, const P2bTerms& terms, BatchRules rules, const Seed& key, Coins coins);

  // Takes messages of reports that are within the terms; `ends` are where each of them ends among `reports`. Gives an
  // entry a message. Closes what is due before: these are of the next batch.
  std::vector<Taken> take(std::span<const Report> reports, std::span<const std::size_t> ends);

  // Closes the batch of what waits, if its tick has come.
  void close_due();
  // The next tick.
  [[nodiscard]] Tick closes_at() const noexcept { return closes_at_; }
  [[nodiscard]] const BatchClock& clock() const noexcept { return rules_.clock; }

  // Batches that were closed since the last call, in this process.
  [[nodiscard]] std::vector<ClosedBatch> take_closed();

  // The first part that is not delivered yet.
  [[nodiscard]] std::optional<SurvivorPart> next_part();
  // The server has it on its disk.
  void delivered(const PartName& name);

  [[nodiscard]] QueueCounts counts();
  [[nodiscard]] std::uint64_t waiting() const noexcept { return stored_ + overflow_; }
  [[nodiscard]] std::uint64_t parts_to_deliver() const noexcept { return parts_; }
  [[nodiscard]] const QueueId& id() const noexcept { return id_; }
  [[nodiscard]] const P2bTerms& terms() const noexcept { return terms_; }

 private:
  struct Entry;
  void open_batch();
  void open_next(BatchClock::Time now);
  void insert(std::span<const Entry> entries, std::vector<Taken>& taken);
  void add_to_waiting(std::vector<Tuple> tuples);
  [[nodiscard]] ClosedBatch close_waiting();
  [[nodiscard]] std::vector<Tuple> all_waiting();
  void write_parts(Tick batch, std::span<const Tuple> survivors);
  void set(const char* name, std::uint64_t value);
  void add(const char* name, std::uint64_t value);
  [[nodiscard]] std::uint64_t counter(const char* name);

  P2bTerms terms_;
  BatchRules rules_;
  UserMarks marks_;
  Coins coins_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<KnownUsers> users_;
  QueueId id_{};
  Tick closes_at_{};
  std::uint64_t stored_ = 0;    // that wait, in the table
  std::uint64_t overflow_ = 0;  // that wait, and found no room there
  std::uint64_t parts_ = 0;     // to deliver
  std::vector<ClosedBatch> closed_;
};

}  // namespace sotto::apps::p2b
