#include "apps/p2b/roles/report_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "apps/kit/program/about.h"
#include "apps/p2b/roles/store_file.h"
#include "apps/p2b/tuple.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

const std::string queue_schema =
    std::string(KnownUsers::schema) +
    "CREATE TABLE waiting (code INTEGER, arm INTEGER, reward REAL, count INTEGER NOT NULL, "
    "PRIMARY KEY (code, arm, reward)) WITHOUT ROWID;CREATE TABLE outgoing (batch INTEGER, part "
    "INTEGER, parts INTEGER NOT NULL, tuples BLOB NOT NULL, PRIMARY KEY (batch, part));CREATE "
    "TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;";
const StoreKind queue_kind{"the queue of a shuffler", 0x73503271, queue_schema.c_str()};  // "sP2q"

constexpr std::size_t largest_group = 65'536;

std::uint64_t count_of(Database& database, const char* sql) { return static_cast<std::uint64_t>(database.number(sql)); }

bool before(const Tuple& a, const Tuple& b) {
  return std::tie(a.code, a.arm, a.reward) < std::tie(b.code, b.arm, b.reward);
}
bool same(const Tuple& a, const Tuple& b) { return !before(a, b) && !before(b, a); }

// With another key, the queue would not recognise the users that have already reported.
void check_key(Database& database, UserMarks& marks) {
  UserToken nobody{};
  const std::string_view name = "check of the key";
  std::copy_n(std::as_bytes(std::span(name)).begin(), nobody.size(), nobody.begin());
  const std::uint64_t mark = marks.of(nobody);
  const auto bytes = std::as_bytes(std::span(&mark, 1));
  const auto row = meta_value(database, "key");
  if (!row) {
    set_meta(database, "key", bytes);
    return;
  }
  if (!std::equal(row->begin(), row->end(), bytes.begin(), bytes.end())) {
    throw InputError(database.path().string(),
                     "the queue was made with another key: give that one with --key, or name another file");
  }
}

QueueId queue_id(Database& database) {
  if (const auto row = meta_value(database, "id")) {
    QueueId id{};
    if (row->size() != id.size()) {
      throw InputError(database.path().string(), "the id of the queue is damaged");
    }
    std::copy(row->begin(), row->end(), id.begin());
    return id;
  }
  const QueueId id = random_id();
  set_meta(database, "id", id);
  return id;
}

}  // namespace

BatchClock::BatchClock(std::chrono::seconds period, Now now) : period_(period), now_(std::move(now)) {
  if (period < std::chrono::seconds(1) || period > longest_period) {
    throw std::invalid_argument("a period of batches is from 1 second to 30 days");
  }
}

Tick BatchClock::tick_after(Time time) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch();
  return Tick((seconds / period_ + 1) * period_);
}

std::string tick_text(Tick tick) { return utc_text(tick.time_since_epoch().count()); }

struct ReportQueue::Entry {
  std::uint64_t mark;
  const Report* report;
  std::size_t message;
};

ReportQueue::ReportQueue(const std::filesystem::path& path, const P2bTerms& terms, BatchRules rules, const Seed& key,
                         Coins coins)
    : terms_(terms),
      rules_(std::move(rules)),
      marks_(key),
      coins_(std::move(coins)),
      database_(open_store_file(path, queue_kind)) {
  if (rules_.most_waiting < terms.threshold || rules_.most_waiting > largest_batch) {
    throw std::invalid_argument("the limit of a batch is from the threshold to 100,000,000");
  }
  Transaction transaction(*database_);
  keep_terms(*database_, terms, queue_kind);
  check_key(*database_, marks_);
  id_ = queue_id(*database_);
  transaction.commit();
  users_ = std::make_unique<KnownUsers>(*database_);
  stored_ = count_of(*database_, "SELECT coalesce(sum(count), 0) FROM waiting");
  overflow_ = counter("overflow");
  parts_ = count_of(*database_, "SELECT count(*) FROM outgoing");
  open_batch();
  close_due();
}

// The open batch keeps the tick that the database stores, even if no reports wait, the period changes or the clock is
// set back. The queue never uses a tick twice, because the server would ignore the second batch as a repetition.
void ReportQueue::open_batch() {
  const BatchClock::Time now = rules_.clock.now();
  const Tick kept{std::chrono::seconds(counter("closes"))};
  if (kept > now + longest_period) {
    throw InputError(
        database_->path().string(),
        fmt::format("its batch closes at {}, which is more than 30 days from now: set the clock of this machine",
                    tick_text(kept)));
  }
  if (kept > Tick{}) {
    closes_at_ = kept;
  } else {
    Transaction transaction(*database_);
    open_next(now);
    transaction.commit();
  }
}

void ReportQueue::open_next(BatchClock::Time now) {
  closes_at_ = rules_.clock.tick_after(now);
  set("closes", static_cast<std::uint64_t>(closes_at_.time_since_epoch().count()));
}

std::vector<Taken> ReportQueue::take(std::span<const Report> reports, std::span<const std::size_t> ends) {
  close_due();
  std::vector<Taken> taken(ends.size());
  std::vector<Entry> group;
  std::size_t message = 0;
  for (std::size_t begin = 0; begin < reports.size();) {
    const std::size_t end = std::min(reports.size(), begin + largest_group);
    group.clear();
    for (std::size_t i = begin; i < end; ++i) {
      while (i >= ends[message]) ++message;
      group.push_back({marks_.of(reports[i].user), &reports[i], message});
    }
    insert(group, taken);
    begin = end;
  }
  return taken;
}

void ReportQueue::insert(std::span<const Entry> entries, std::vector<Taken>& taken) {
  std::vector<Tuple> counted;
  counted.reserve(entries.size());
  Transaction transaction(*database_);
  for (const Entry& entry : entries) {
    Taken& of_message = taken[entry.message];
    const auto known = users_->report_of(entry.mark);
    if (!known) {
      users_->add(entry.mark, entry.report->nonce);
      counted.push_back(entry.report->tuple);
      ++of_message.counted;
    } else {
      ++(*known == entry.report->nonce ? of_message.repeated : of_message.second);
    }
  }
  const std::uint64_t fresh = counted.size();
  const bool room = overflow_ == 0 && stored_ + fresh <= rules_.most_waiting;
  if (fresh > 0) {
    users_->write();
    add("reports", fresh);
    if (room) {
      add_to_waiting(std::move(counted));
    } else {
      add("overflow", fresh);
    }
  }
  transaction.commit();
  (room ? stored_ : overflow_) += fresh;
}

void ReportQueue::add_to_waiting(std::vector<Tuple> tuples) {
  for (Tuple& tuple : tuples) tuple.reward += 0.0;  // turns -0 into 0, so that both are the same row key
  std::sort(tuples.begin(), tuples.end(), before);
  Statement add(*database_,
                "INSERT INTO waiting VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count");
  for (std::size_t i = 0; i < tuples.size();) {
    std::size_t end = i;
    while (end < tuples.size() && same(tuples[i], tuples[end])) ++end;
    add.again()
        .bind(static_cast<std::int64_t>(tuples[i].code))
        .bind(static_cast<std::int64_t>(tuples[i].arm))
        .bind(tuples[i].reward)
        .bind(static_cast<std::int64_t>(end - i))
        .run();
    i = end;
  }
}

std::vector<Tuple> ReportQueue::all_waiting() {
  std::vector<Tuple> tuples;
  tuples.reserve(static_cast<std::size_t>(stored_));
  Statement query(*database_, "SELECT code, arm, reward, count FROM waiting");
  while (query.next()) {
    Tuple tuple;
    tuple.code = static_cast<std::uint32_t>(query.number(0));
    tuple.arm = static_cast<std::uint32_t>(query.number(1));
    tuple.reward = query.real(2);
    tuples.insert(tuples.end(), static_cast<std::size_t>(query.number(3)), tuple);
  }
  return tuples;
}

void ReportQueue::close_due() {
  const BatchClock::Time now = rules_.clock.now();
  if (now < closes_at_) return;
  Transaction transaction(*database_);
  if (waiting() > 0) closed_.push_back(close_waiting());
  open_next(now);
  transaction.commit();
  stored_ = overflow_ = 0;
  parts_ = count_of(*database_, "SELECT count(*) FROM outgoing");
}

ClosedBatch ReportQueue::close_waiting() {
  ClosedBatch batch;
  batch.closed_at = closes_at_;
  batch.received = waiting();
  batch.overfull = overflow_ > 0;
  if (!batch.overfull) {
    const ShuffleResult result = shuffle(all_waiting(), static_cast<std::size_t>(terms_.threshold), coins_);
    batch.kept = result.kept;
    batch.codes_dropped = result.codes_dropped;
    write_parts(closes_at_, result.survivors);
  }
  batch.dropped = batch.received - batch.kept;
  database_->execute("DELETE FROM waiting");
  set("overflow", 0);
  add("batches", 1);
  add("kept", batch.kept);
  add("dropped", batch.dropped);
  add("codes_dropped", batch.codes_dropped);
  return batch;
}

void ReportQueue::write_parts(Tick batch, std::span<const Tuple> survivors) {
  const std::size_t parts = (survivors.size() + most_tuples_a_part - 1) / most_tuples_a_part;
  Statement add(*database_, "INSERT INTO outgoing VALUES (?, ?, ?, ?)");
  for (std::size_t part = 0; part < parts; ++part) {
    const auto rest = survivors.subspan(part * most_tuples_a_part);
    const Payload tuples = encode_tuples(rest.first(std::min(rest.size(), most_tuples_a_part)));
    add.again()
        .bind(static_cast<std::int64_t>(batch.time_since_epoch().count()))
        .bind(static_cast<std::int64_t>(part))
        .bind(static_cast<std::int64_t>(parts))
        .bind(tuples)
        .run();
  }
}

std::vector<ClosedBatch> ReportQueue::take_closed() { return std::exchange(closed_, {}); }

std::optional<SurvivorPart> ReportQueue::next_part() {
  if (parts_ == 0) return std::nullopt;
  Statement query(*database_, "SELECT batch, part, parts, tuples FROM outgoing ORDER BY batch, part LIMIT 1");
  if (!query.next()) throw std::logic_error("a part to deliver that is not there");
  SurvivorPart part;
  part.name = {id_, static_cast<std::uint64_t>(query.number(0)), static_cast<std::uint32_t>(query.number(1))};
  part.parts = static_cast<std::uint32_t>(query.number(2));
  auto tuples = decode_tuples(query.bytes(3));
  if (!tuples || tuples->size() > most_tuples_a_part) {
    throw InputError(database_->path().string(), "a batch in it is damaged");
  }
  part.tuples = std::move(*tuples);
  return part;
}

void ReportQueue::delivered(const PartName& name) {
  if (name.queue != id_) throw std::invalid_argument("a part of another queue");
  Transaction transaction(*database_);
  Statement(*database_, "DELETE FROM outgoing WHERE batch = ? AND part = ?")
      .bind(as_row(name.batch))
      .bind(static_cast<std::int64_t>(name.part))
      .run();
  const auto gone = static_cast<std::uint64_t>(database_->changes());
  transaction.commit();
  parts_ -= gone;
}

void ReportQueue::set(const char* name, std::uint64_t value) {
  Statement(*database_, "INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
      .bind(std::string_view(name))
      .bind(static_cast<std::int64_t>(value))
      .run();
}

void ReportQueue::add(const char* name, std::uint64_t value) {
  Statement(*database_, "INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value")
      .bind(std::string_view(name))
      .bind(static_cast<std::int64_t>(value))
      .run();
}

std::uint64_t ReportQueue::counter(const char* name) {
  Statement query(*database_, "SELECT value FROM counters WHERE name = ?");
  return query.bind(std::string_view(name)).next() ? static_cast<std::uint64_t>(query.number(0)) : 0;
}

QueueCounts ReportQueue::counts() {
  return {counter("reports"),       waiting(), counter("batches"), counter("kept"), counter("dropped"),
          counter("codes_dropped"), parts_};
}

}  // namespace sotto::apps::p2b
