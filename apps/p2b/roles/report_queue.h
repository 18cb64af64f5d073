// The shuffler's durable queue, one SQLite file. The queue contains reports that wait for their batch, the users that
// have reported, and closed batches that the server has not taken yet.
//
//     table      a row
//     users      mark of a user (UserMarks), nonce of its report; newer rows are in the table `recent`: store_file.h
//     waiting    code, arm, reward, and the number of waiting reports with these values
//     outgoing   batch, part, number of parts, tuples of survivors in their shuffled order
//     counters   name, value: reports, batches, kept, dropped, codes_dropped; closes, the tick of the
//                open batch; overflow, the number of reports of the open batch above the limit
//     meta       not encrypted: terms, a random id of the queue, a check of the key
//
// The table of waiting reports is a multiset without order and users. So the tables reveal neither the order of arrival
// nor who sent which report. SQLite's log, queue-wal, contains the most recent pages until SQLite overwrites them, and
// the pages of one group of reports are next to each other. A copy of the log therefore shows which users and which
// tuples were in the same group of reports.
//
// When take() returns, its reports are on the disk, so an acknowledged report is never lost. Agents send unacknowledged
// reports again, and the queue recognises a repeated report by its user and nonce.
//
// A batch closes at a tick of the clock, with all reports that wait at that time. The reports influence the time, the
// name and the parts of a batch only through the survivors. Closing a batch drops the reports whose code occurs too
// rarely, even if no report survives. Otherwise the next batch would reveal how many reports had come. The shuffler
// sends nothing for a batch without survivors. If a queue was not open at a tick, its batch closes as soon as the queue
// is opened, under the name of that tick.
//
// A batch with more reports than the limit releases nothing, and the server cannot distinguish such a batch from an
// empty batch. If the queue released only the first reports of this batch, the batch would in effect close when it is
// full, which BatchClock forbids. The queue acknowledges and counts reports beyond the limit like all other reports, so
// agents do not learn that the limit was exceeded.
//
// Throws the errors of open_store_file(). Throws InputError if the queue was made with other terms or another key, or
// if its open batch would close so late that the wall clock must be wrong. Throws ResourceError if the disk is full;
// reports that take() had not committed are then not in the queue. Do not use a queue again after it has thrown.
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

// The ticks at which the shuffler's batches close: every whole multiple of a period since 1970 in UTC, on the wall
// clock.
//
// A batch must not close because it is full, because everybody would then know its size. The server knows the number of
// survivors. If the server also knew the size, it could compute the number of dropped reports. delta does not cover
// this number (apps/p2b/privacy.h). The tick is also the batch's name, so a name does not reveal how many batches there
// were.
using Tick = std::chrono::sys_seconds;

inline constexpr std::chrono::seconds longest_period{30 * 24 * 3600};

class BatchClock {
 public:
  using Time = std::chrono::system_clock::time_point;
  using Now = std::function<Time()>;

  // Throws std::invalid_argument for a period outside 1 second to longest_period.
  explicit BatchClock(std::chrono::seconds period, Now now = std::chrono::system_clock::now);

  [[nodiscard]] Time now() const { return now_(); }
  [[nodiscard]] std::chrono::seconds period() const noexcept { return period_; }
  [[nodiscard]] Tick tick_after(Time time) const;

 private:
  std::chrono::seconds period_;
  Now now_;
};

// Returns a text such as "2026-01-31T10:00:00Z".
[[nodiscard]] std::string tick_text(Tick tick);

inline constexpr std::uint64_t largest_batch = 100'000'000;

struct BatchRules {
  BatchClock clock;
  std::uint64_t most_waiting = 10'000'000;  // the shuffler shuffles a batch in memory, with 32 bytes for each report
};

// Only the number `kept` may leave the shuffler.
struct QueueCounts {
  std::uint64_t reports = 0;  // number of reports, one for each user
  std::uint64_t waiting = 0;  // part of `reports`
  std::uint64_t batches = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
  std::uint64_t parts_to_deliver = 0;
  bool operator==(const QueueCounts&) const = default;
};

// Only the number `kept` may leave the shuffler.
struct ClosedBatch {
  Tick closed_at{};
  std::uint64_t received = 0;
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t codes_dropped = 0;
  bool overfull = false;  // true above the limit: all reports are dropped, and codes are not counted
  bool operator==(const ClosedBatch&) const = default;
};

struct Taken {
  std::uint32_t counted = 0;
  std::uint32_t repeated = 0;
  std::uint32_t second = 0;
  bool operator==(const Taken&) const = default;
};

class ReportQueue {
 public:
  // `rules.most_waiting` is the limit. It must be at least the threshold and at most largest_batch.
  ReportQueue(const std::filesystem::path& path, const P2bTerms& terms, BatchRules rules, const Seed& key, Coins coins);

  // Accepts the reports of several messages, which must be within the terms. For each message, `ends` contains the
  // index of the first report after the message. If a batch is due, take() closes it first.
  std::vector<Taken> take(std::span<const Report> reports, std::span<const std::size_t> ends);

  void close_due();
  [[nodiscard]] Tick closes_at() const noexcept { return closes_at_; }
  [[nodiscard]] const BatchClock& clock() const noexcept { return rules_.clock; }

  [[nodiscard]] std::vector<ClosedBatch> take_closed();

  [[nodiscard]] std::optional<SurvivorPart> next_part();
  // Removes a part. Call this function only after the server has stored the part on its disk.
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
  std::uint64_t stored_ = 0;
  std::uint64_t overflow_ = 0;  // number of waiting reports above the limit, which are not in `waiting`
  std::uint64_t parts_ = 0;
  std::vector<ClosedBatch> closed_;
};

}  // namespace sotto::apps::p2b
