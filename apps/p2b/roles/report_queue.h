// The shuffler's durable queue, one SQLite file: reports that wait for their batch, the users that have reported, and
// closed batches that the server has not taken yet.
//
//     table      a row
//     users      mark of a user (UserMarks), nonce of its report; newer rows are in the table `recent`: store_file.h
//     waiting    code, arm, reward, and the number of waiting reports with these values
//     outgoing   batch, part, number of parts, tuples of survivors in their shuffled order
//     counters   name, value: reports, batches, kept, dropped, codes_dropped; closes, the tick of the
//                open batch; overflow, the number of reports of the open batch above the limit
//     meta       not encrypted: terms, a random id of the queue, a check of the key
//
// The waiting reports are a multiset without order and users, so the tables reveal neither the order of arrival nor who
// sent which report. A row of `users` says that a user has reported, and nothing about the report; the nonce is a
// random number that the agent drew. SQLite's log, queue-wal, holds the most recent pages until they are overwritten,
// and the pages of one group of reports are next to each other. A copy of SQLite's log therefore shows which users and
// which tuples were in the same group of reports.
//
// When take() returns, its reports are on the disk, in transactions of many reports. A report that is acknowledged
// after take() is therefore never lost. Agents send unacknowledged reports again, and the queue recognises a repeated
// report by its user and nonce.
//
// A batch closes at a tick of the clock (BatchClock), with all reports that wait at that time. The time, name and parts
// of a batch depend on the reports only through the survivors. Reports whose code occurs too rarely are therefore
// dropped even if no report survives: if such reports were carried over, the next batch would reveal how many had come.
// Nothing is sent for a batch without survivors, whether the batch had reports or not. If a queue was not open at a
// tick, its batch closes as soon as the queue is opened, under the name of that tick.
//
// The number of waiting reports is limited, because a batch is shuffled in memory. If a batch took only the first
// reports, the batch would in effect close when it is full. A batch with more reports than the limit therefore releases
// nothing, and the server cannot distinguish such a batch from an empty batch. Reports beyond the limit are
// acknowledged and counted like all other reports, so agents do not learn of the overflow. The limit of waiting reports
// should be far above the expected number of reports.
//
// Errors: the errors of open_store_file(). InputError if the queue was made with other terms or another key, or if its
// open batch would close so late that the wall clock must be wrong. ResourceError if the disk is full; reports that
// take() had not committed are then not in the queue. A queue that has thrown must not be used again.
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

// The times at which the shuffler's batches close: every whole multiple of a period, counted from 1970 in UTC, on the
// wall clock and independent of the reports. With a period of an hour, batches close on the hour.
//
// Batches close by a clock, because everybody would know the size of a batch that closes when it is full. From the size
// of a batch, the server could compute the number of dropped reports, which delta does not cover (apps/p2b/privacy.h).
// The tick is also the batch's name, so the server sees neither a count of reports nor a count of batches with reports.
using Tick = std::chrono::sys_seconds;

inline constexpr std::chrono::seconds longest_period{30 * 24 * 3600};

class BatchClock {
 public:
  using Time = std::chrono::system_clock::time_point;
  using Now = std::function<Time()>;

  // Tests can replace the system clock by `now`. Throws std::invalid_argument for a period outside 1 second to
  // longest_period.
  explicit BatchClock(std::chrono::seconds period, Now now = std::chrono::system_clock::now);

  [[nodiscard]] Time now() const { return now_(); }
  [[nodiscard]] std::chrono::seconds period() const noexcept { return period_; }
  // Returns the first tick after `time`.
  [[nodiscard]] Tick tick_after(Time time) const;

 private:
  std::chrono::seconds period_;
  Now now_;
};

// Formats a tick like "2026-01-31T10:00:00Z".
[[nodiscard]] std::string tick_text(Tick tick);

inline constexpr std::uint64_t largest_batch = 100'000'000;

struct BatchRules {
  BatchClock clock;
  std::uint64_t most_waiting = 10'000'000;  // limit of waiting reports; shuffling needs 32 bytes for each report
};

// Figures of the queue since it was made. Only the figure `kept` may leave the shuffler.
struct QueueCounts {
  std::uint64_t reports = 0;  // accepted reports: one for each user
  std::uint64_t waiting = 0;  // reports that wait for a batch; they are included in `reports`
  std::uint64_t batches = 0;  // closed batches that had reports
  std::uint64_t kept = 0;     // released tuples of all closed batches
  std::uint64_t dropped = 0;  // dropped tuples of all closed batches, whose code was too rare
  std::uint64_t codes_dropped = 0;
  std::uint64_t parts_to_deliver = 0;
  bool operator==(const QueueCounts&) const = default;
};

// Figures of a closed batch. Only the figure `kept` may leave the shuffler.
struct ClosedBatch {
  Tick closed_at{};
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
  bool overfull = false;  // the batch had more reports than the limit: all are dropped, and codes are not counted
  bool operator==(const ClosedBatch&) const = default;
};

// The results for the reports of one message.
struct Taken {
  std::uint32_t counted = 0;
  std::uint32_t repeated = 0;
  std::uint32_t second = 0;
  bool operator==(const Taken&) const = default;
};

class ReportQueue {
 public:
  // Opens the queue, or creates a missing queue. The limit rules.most_waiting must be at least the threshold and at
  // most largest_batch. Closes a batch that is due.
  ReportQueue(const std::filesystem::path& path, const P2bTerms& terms, BatchRules rules, const Seed& key, Coins coins);

  // Accepts the reports of several messages; all reports are within the terms. For each message, `ends` has the index
  // in `reports` of the first report after the message. Returns one entry for each message. A batch that is due is
  // closed first, without the reports of this call.
  std::vector<Taken> take(std::span<const Report> reports, std::span<const std::size_t> ends);

  // Closes the batch of the waiting reports if its tick has come.
  void close_due();
  // The tick at which the open batch closes.
  [[nodiscard]] Tick closes_at() const noexcept { return closes_at_; }
  [[nodiscard]] const BatchClock& clock() const noexcept { return rules_.clock; }

  // The batches that this process has closed since the last call of take_closed().
  [[nodiscard]] std::vector<ClosedBatch> take_closed();

  // The first part that is not delivered yet; nothing if there is none.
  [[nodiscard]] std::optional<SurvivorPart> next_part();
  // Removes the part. Call delivered() only after the server has stored the part on its disk.
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
  std::uint64_t stored_ = 0;    // number of waiting reports in the table
  std::uint64_t overflow_ = 0;  // number of waiting reports above the limit, which are not in the table
  std::uint64_t parts_ = 0;     // number of parts that are not delivered yet
  std::vector<ClosedBatch> closed_;
};

}  // namespace sotto::apps::p2b
