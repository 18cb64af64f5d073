#include "apps/p2b/roles/report_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "apps/p2b/roles/store_file.h"
#include "apps/p2b/shuffle.h"
#include "core/error/errors.h"

namespace sotto::apps {
namespace {

const std::string schema =
    std::string(KnownUsers::schema) +
    "CREATE TABLE waiting (code INTEGER, arm INTEGER, reward REAL, count INTEGER NOT NULL,"
    " PRIMARY KEY (code, arm, reward)) WITHOUT ROWID;"
    "CREATE TABLE outgoing (batch INTEGER, part INTEGER, parts INTEGER NOT NULL,"
    " tuples BLOB NOT NULL, PRIMARY KEY (batch, part));"
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;";
const StoreKind kind{"the queue of a shuffler", 0x73503271, schema.c_str()};  // "sP2q"

// So many reports are put into one transaction at most.
constexpr std::size_t largest_group = 65'536;

std::int64_t as_row(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }

std::uint64_t count_of(Database& database, const char* sql) {
  return static_cast<std::uint64_t>(database.number(sql));
}

bool before(const Tuple& a, const Tuple& b) {
  return std::tie(a.code, a.arm, a.reward) < std::tie(b.code, b.arm, b.reward);
}
bool same(const Tuple& a, const Tuple& b) { return !before(a, b) && !before(b, a); }

// The key belongs to the queue: with another one, no user would be known again.
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
                     "the queue was made with another key: give that one with --key, or name "
                     "another file");
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

struct ReportQueue::Entry {
  std::uint64_t mark;
  const Report* report;
  std::size_t message;
};

ReportQueue::ReportQueue(const std::filesystem::path& path, const P2bTerms& terms,
                         std::uint64_t batch_size, const Seed& key, Coins coins)
    : terms_(terms),
      batch_size_(batch_size),
      marks_(key),
      coins_(std::move(coins)),
      database_(open_store_file(path, kind)) {
  if (batch_size < terms.threshold || batch_size > largest_batch) {
    throw std::invalid_argument(
        "a batch has at least the threshold of reports, and 10,000,000 at most");
  }
  Transaction transaction(*database_);
  keep_terms(*database_, terms, kind);
  check_key(*database_, marks_);
  id_ = queue_id(*database_);
  transaction.commit();
  users_ = std::make_unique<KnownUsers>(*database_);
  waiting_ = count_of(*database_, "SELECT coalesce(sum(count), 0) FROM waiting");
  parts_ = count_of(*database_, "SELECT count(*) FROM outgoing");
  if (waiting_ >= batch_size_) release();
}

std::vector<Taken> ReportQueue::take(std::span<const Report> reports,
                                     std::span<const std::size_t> ends) {
  std::vector<Taken> taken(ends.size());
  std::vector<Entry> group;
  std::size_t message = 0;
  for (std::size_t begin = 0; begin < reports.size();) {
    const std::size_t room = static_cast<std::size_t>(batch_size_ - waiting_);
    const std::size_t end = begin + std::min({room, reports.size() - begin, largest_group});
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
  std::optional<ClosedBatch> batch;
  if (fresh > 0) {
    users_->write();
    add("reports", fresh);
    add_to_waiting(std::move(counted));
    if (waiting_ + fresh >= batch_size_) batch = close_waiting();
  }
  transaction.commit();
  waiting_ += fresh;
  if (batch) settle(*batch);
}

void ReportQueue::add_to_waiting(std::vector<Tuple> tuples) {
  for (Tuple& tuple : tuples) tuple.reward += 0.0;  // -0 and 0 are one key
  std::sort(tuples.begin(), tuples.end(), before);
  Statement add(*database_,
                "INSERT INTO waiting VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " count = count + excluded.count");
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
  tuples.reserve(static_cast<std::size_t>(waiting_));
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

ClosedBatch ReportQueue::close_waiting() {
  const ShuffleResult result =
      shuffle(all_waiting(), static_cast<std::size_t>(terms_.threshold), coins_);
  add("batches", 1);
  ClosedBatch batch;
  batch.number = counter("batches");
  batch.received = result.received;
  batch.kept = result.kept;
  batch.dropped = result.dropped;
  batch.codes_dropped = result.codes_dropped;
  write_parts(batch.number, result.survivors);
  database_->execute("DELETE FROM waiting");
  add("kept", batch.kept);
  add("dropped", batch.dropped);
  add("codes_dropped", batch.codes_dropped);
  return batch;
}

void ReportQueue::write_parts(std::uint64_t batch, std::span<const Tuple> survivors) {
  const std::size_t parts = (survivors.size() + most_tuples_a_part - 1) / most_tuples_a_part;
  Statement add(*database_, "INSERT INTO outgoing VALUES (?, ?, ?, ?)");
  for (std::size_t part = 0; part < parts; ++part) {
    const auto rest = survivors.subspan(part * most_tuples_a_part);
    const Payload tuples = encode_tuples(rest.first(std::min(rest.size(), most_tuples_a_part)));
    add.again()
        .bind(static_cast<std::int64_t>(batch))
        .bind(static_cast<std::int64_t>(part))
        .bind(static_cast<std::int64_t>(parts))
        .bind(tuples)
        .run();
  }
}

void ReportQueue::settle(const ClosedBatch& batch) {
  closed_.push_back(batch);
  waiting_ = 0;
  parts_ = count_of(*database_, "SELECT count(*) FROM outgoing");
}

std::optional<ClosedBatch> ReportQueue::release() {
  if (waiting_ < terms_.threshold) return std::nullopt;
  Transaction transaction(*database_);
  const ClosedBatch batch = close_waiting();
  transaction.commit();
  settle(batch);
  return batch;
}

std::vector<ClosedBatch> ReportQueue::take_closed() { return std::exchange(closed_, {}); }

std::optional<SurvivorPart> ReportQueue::next_part() {
  if (parts_ == 0) return std::nullopt;
  Statement query(*database_,
                  "SELECT batch, part, parts, tuples FROM outgoing ORDER BY batch, part LIMIT 1");
  if (!query.next()) throw std::logic_error("a part to deliver that is not there");
  SurvivorPart part;
  part.name = {id_, static_cast<std::uint64_t>(query.number(0)),
               static_cast<std::uint32_t>(query.number(1))};
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

void ReportQueue::add(const char* name, std::uint64_t value) {
  Statement(*database_,
            "INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET"
            " value = value + excluded.value")
      .bind(std::string_view(name))
      .bind(static_cast<std::int64_t>(value))
      .run();
}

std::uint64_t ReportQueue::counter(const char* name) {
  Statement query(*database_, "SELECT value FROM counters WHERE name = ?");
  return query.bind(std::string_view(name)).next() ? static_cast<std::uint64_t>(query.number(0))
                                                   : 0;
}

QueueCounts ReportQueue::counts() {
  return {
      counter("reports"),       waiting_, counter("batches"), counter("kept"), counter("dropped"),
      counter("codes_dropped"), parts_};
}

}  // namespace sotto::apps
