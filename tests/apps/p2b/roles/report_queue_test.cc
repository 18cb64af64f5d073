#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "apps/p2b/roles/report_queue.h"
#include "tests/apps/p2b/roles/reports.h"
#include "tests/properties.h"

namespace sotto::apps::p2b {
namespace {

using Queue = QueueTest;

TEST_F(Queue, TakesTheFirstOfTwoReportsOfOneUserInAGroup) {
  ReportQueue queue = open(small_terms());
  const std::vector<Report> reports{report_of(1, {2, 1, 1}, 7), report_of(1, {3, 0, 0}, 8), report_of(2, {2, 1, 1}, 9),
                                    report_of(1, {2, 1, 1}, 7)};
  const std::vector<std::size_t> ends{2, 2, 4};
  EXPECT_THAT(queue.take(reports, ends), ElementsAre(Taken{1, 0, 1}, Taken{}, Taken{1, 1, 0}));
  tick(queue);
  const std::vector<SurvivorPart> parts = deliver(queue);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(multiset_of(parts[0].tuples), (Multiset{{{2, 1, 1.0}, 2}}));
}

TEST_F(Queue, ClosesABatchAtEachTick) {
  ReportQueue queue = open(small_terms());
  const std::vector<Report> reports = reports_of(0, 34);
  clock_.pass(std::chrono::seconds(1234));
  for (const int batch : {0, 1, 2}) {
    for (const int half : {0, 1}) {
      take(queue, std::span(reports).subspan(static_cast<std::size_t>(10 * batch + 5 * half), 5));
      EXPECT_EQ(queue.parts_to_deliver(), static_cast<std::uint64_t>(batch));
    }
    clock_.pass(hour);
  }
  take(queue, std::span(reports).last(4));
  EXPECT_EQ(queue.waiting(), 4U);
  EXPECT_EQ(queue.parts_to_deliver(), 3U);
  EXPECT_EQ(queue.take_closed().size(), 3U);
  EXPECT_TRUE(queue.take_closed().empty());
  const std::vector<SurvivorPart> parts = deliver(queue);
  ASSERT_EQ(parts.size(), 3U);
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_EQ(parts[b].name, (PartName{queue.id(), batch_of_hour(static_cast<int>(b) + 1), 0}));
    EXPECT_EQ(parts[b].parts, 1U);
    EXPECT_EQ(multiset_of(parts[b].tuples), multiset_of(reports_of(static_cast<int>(10 * b), 10)));
  }
  EXPECT_EQ(queue.parts_to_deliver(), 0U);
}

TEST_F(Queue, ClosesNothingHoweverManyCome) {
  ReportQueue queue = open(small_terms(), 1000);
  take(queue, reports_of(0, 1000));
  queue.close_due();
  EXPECT_FALSE(queue.next_part());
  tick(queue);
  EXPECT_EQ(deliver(queue).at(0).tuples.size(), 1000U);
}

TEST_F(Queue, NamesABatchByItsTickWhateverCameBefore) {
  ReportQueue queue = open(small_terms(2));
  tick(queue);
  take_and_tick(queue, {report_of(1, {0, 0, 1})});
  take_and_tick(queue, reports_of(10, 16));
  const std::vector<SurvivorPart> parts = deliver(queue);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, (PartName{queue.id(), batch_of_hour(3), 0}));
}

TEST_F(Queue, ClosesWhenItIsOpenedWhatWasDueBefore) {
  {
    ReportQueue queue = open(small_terms());
    take(queue, reports_of(0, 10));
  }
  clock_.pass(5 * hour);
  ReportQueue queue = open(small_terms());
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_EQ(deliver(queue).at(0).name.batch, batch_of_hour(1)) << "its tick, not that of today";
  EXPECT_EQ(queue.closes_at(), ManualClock::begin + 6 * hour);
}

// The time of the next close must not reveal whether reports are waiting.
TEST_F(Queue, KeepsTheTickOfTheOpenBatchUnderAnotherPeriod) {
  for (const bool waits : {false, true}) {
    std::filesystem::remove(file());
    {
      ReportQueue queue = open(small_terms());
      if (waits) take(queue, reports_of(0, 10));
    }
    const BatchClock minutes(std::chrono::seconds(60), clock_.function());
    ReportQueue queue(file(), small_terms(), {minutes, 1000}, key(), Coins::from_os());
    EXPECT_EQ(queue.closes_at(), ManualClock::begin + hour);
    clock_.pass(hour);
    queue.close_due();
    EXPECT_EQ(queue.closes_at(), clock_.now() + std::chrono::seconds(60));
    clock_.pass(-hour);
  }
}

TEST_F(Queue, UsesNoTickTwiceWhereTheClockIsSetBack) {
  {
    ReportQueue queue = open(small_terms());
    take_and_tick(queue, reports_of(0, 10));
  }
  clock_.pass(-hour);
  ReportQueue queue = open(small_terms());
  take_and_tick(queue, reports_of(10, 10));
  EXPECT_EQ(queue.counts().batches, 1U);
  tick(queue);
  const std::vector<SurvivorPart> parts = deliver(queue);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name.batch, batch_of_hour(1));
  EXPECT_EQ(parts[1].name.batch, batch_of_hour(2));
}

TEST_F(Queue, RefusesAClockThatCannotBeRight) {
  { (void)open(small_terms()); }
  clock_.pass(-longest_period - 2 * hour);
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("set the clock of this machine"));
}

TEST_F(Queue, DropsCodesBelowTheThreshold) {
  ReportQueue queue = open(small_terms(3));
  std::vector<Report> reports;
  for (int u = 0; u < 3; ++u) reports.push_back(report_of(u, {5, 0, 1}));
  for (int u = 3; u < 5; ++u) reports.push_back(report_of(u, {6, 0, 1}));
  reports.push_back(report_of(5, {7, 0, 1}));
  take_and_tick(queue, reports);
  EXPECT_EQ(queue.take_closed().at(0), (ClosedBatch{ManualClock::begin + hour, 6, 3, 3, 2, false}));
  EXPECT_EQ(queue.counts(), (QueueCounts{6, 0, 1, 3, 3, 2, 1}));
  EXPECT_EQ(multiset_of(deliver(queue).at(0).tuples), (Multiset{{{5, 0, 1.0}, 3}}));
}

TEST_F(Queue, CarriesNothingOver) {
  ReportQueue queue = open(small_terms(10));
  for (int u = 0; u < 9; ++u) take(queue, report_of(u, {1, 0, 1}));
  tick(queue);
  EXPECT_EQ(queue.counts(), (QueueCounts{.reports = 9, .batches = 1, .dropped = 9, .codes_dropped = 1}));
  EXPECT_FALSE(queue.next_part());
  for (int u = 20; u < 30; ++u) take(queue, report_of(u, {1, 0, 1}));
  tick(queue);
  EXPECT_EQ(deliver(queue).at(0).tuples.size(), 10U);
}

// If a batch has no room for all its reports, the whole batch is dropped. If the queue released the first 1,000
// reports, the number of reports would determine the end of the batch. Such an end would reveal whether a user has
// reported.
TEST_F(Queue, ReleasesNothingOfABatchThatHadNoRoom) {
  {
    ReportQueue queue = open(small_terms(), 1000);
    take(queue, reports_of(0, 1000));
    EXPECT_EQ(take(queue, report_of(5000, {1, 1, 1})).counted, 1U);  // counted, although there is no room
    EXPECT_EQ(take(queue, report_of(5000, {1, 1, 1})).repeated, 1U);
    EXPECT_EQ(queue.waiting(), 1001U);
  }
  ReportQueue queue = open(small_terms(), 2000);
  EXPECT_EQ(queue.waiting(), 1001U);
  take_and_tick(queue, reports_of(6000, 10));
  EXPECT_FALSE(queue.next_part());
  EXPECT_EQ(queue.take_closed().at(0), (ClosedBatch{clock_.now(), 1011, 0, 1011, 0, true}));
  take_and_tick(queue, reports_of(7000, 16));
  EXPECT_EQ(deliver(queue).at(0).tuples.size(), 16U);
}

TEST_F(Queue, SplitsLargeBatchesIntoParts) {
  constexpr int users = 150'000;
  ReportQueue queue = open(small_terms());
  take_and_tick(queue, reports_of(0, users));
  const std::vector<SurvivorPart> parts = deliver(queue);
  ASSERT_EQ(parts.size(), 3U);
  Multiset all;
  for (std::uint32_t p = 0; p < 3; ++p) {
    EXPECT_EQ(parts[p].name.part, p);
    EXPECT_EQ(parts[p].parts, 3U);
    add_to(all, parts[p].tuples);
  }
  EXPECT_EQ(all, multiset_of(reports_of(0, users)));
}

// The order in a batch is uniform, in whatever order reports came and are stored.
TEST_F(Queue, ShufflesABatch) {
  constexpr std::size_t size = 40'000;
  ReportQueue queue = open(small_terms());
  take_and_tick(queue, reports_of(0, size));
  const std::vector<Tuple> tuples = queue.next_part().value().tuples;
  ASSERT_EQ(tuples.size(), size);
  std::vector<double> counts(8 * 8);
  for (std::size_t i = 0; i < size; ++i) ++counts[8 * (8 * i / size) + tuples[i].code];
  double chi = 0;
  for (const double n : counts) {
    constexpr double expected = size / 64.0;
    chi += (n - expected) * (n - expected) / expected;
  }
  EXPECT_LT(chi, 112);  // chance exceeds 112 with probability 1e-6 (49 degrees of freedom)
  EXPECT_GT(chi, 14);   // fails if the order is a regular pattern
}

PROPERTY(QueueProperty, CountsEveryUserOnce) {
  const PrivateFolder folder;
  const auto path = folder.path() / "queue.db";
  const auto threshold = draw_in_range<std::uint64_t>(1, 4);
  const auto most = draw_in_range<std::uint64_t>(threshold, 30);
  ManualClock clock;
  const auto open = [&] {
    return std::make_unique<ReportQueue>(path, small_terms(threshold), BatchRules{clock.hours(), most}, key(),
                                         Coins::from_os());
  };
  auto queue = open();
  std::map<int, std::uint64_t> nonces;
  std::vector<Tuple> waiting;
  Multiset expected;
  Multiset got;
  const int steps = draw_in_range(1, 8);
  for (int step = 0; step < steps; ++step) {
    std::vector<Report> message;
    Taken in_model;
    const int count = draw_in_range(0, 8);
    for (int i = 0; i < count; ++i) {
      const int user = draw_in_range(0, 40);
      const std::uint64_t nonce = draw_in_range<std::uint64_t>(1, 3);
      const Tuple tuple{draw_in_range(0U, 8U), draw_in_range(0U, 3U), 0.5};
      message.push_back(report_of(user, tuple, nonce));
      const auto [entry, fresh] = nonces.emplace(user, nonce);
      ++(fresh ? in_model.counted : entry->second == nonce ? in_model.repeated : in_model.second);
      if (fresh) waiting.push_back(tuple);
    }
    HOLDS(take(*queue, message) == in_model);
    if (draw_in_range(0, 3) == 0) {
      clock.pass(hour);
      std::map<std::uint32_t, std::uint64_t> codes;
      for (const Tuple& t : waiting) ++codes[t.code];
      for (const Tuple& t : waiting) {
        if (waiting.size() > most) break;
        if (codes[t.code] >= threshold) ++expected[{t.code, t.arm, t.reward}];
      }
      waiting.clear();
      queue->close_due();
    }
    if (draw_in_range(0, 10) == 0) {
      queue.reset();
      queue = open();
    }
    if (draw<bool>()) {
      for (const SurvivorPart& part : deliver(*queue)) add_to(got, part.tuples);
    }
  }
  for (const SurvivorPart& part : deliver(*queue)) add_to(got, part.tuples);
  HOLDS(got == expected);
  HOLDS(queue->waiting() == waiting.size());
  HOLDS(queue->counts().reports == nonces.size());
}

using QueueFile = QueueTest;

std::vector<std::string> rows_of(const std::filesystem::path& path, const std::string& sql) {
  std::vector<std::string> rows;
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  const auto add = [](void* to, int columns, char** values, char**) {
    std::string& row = static_cast<std::vector<std::string>*>(to)->emplace_back();
    for (int c = 0; c < columns; ++c) row += (c > 0 ? "," : "") + std::string(values[c] == nullptr ? "" : values[c]);
    return 0;
  };
  sqlite3_exec(db, sql.c_str(), add, &rows, nullptr);
  sqlite3_close(db);
  return rows;
}

TEST_F(QueueFile, KeepsEverythingOverARestart) {
  QueueId id{};
  std::vector<Tuple> first;
  {
    ReportQueue queue = open(small_terms());
    id = queue.id();
    for (const int batch : {0, 1}) take_and_tick(queue, reports_of(10 * batch, 10));
    first = queue.next_part().value().tuples;
    take(queue, reports_of(20, 5));
  }
  ReportQueue queue = open(small_terms());
  EXPECT_EQ(queue.id(), id);
  EXPECT_EQ(queue.counts().reports, 25U);
  EXPECT_EQ(queue.waiting(), 5U);
  EXPECT_EQ(queue.parts_to_deliver(), 2U);
  EXPECT_EQ(take(queue, reports_of(0, 25)).repeated, 25U);
  const auto part = queue.next_part();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name.batch, batch_of_hour(1));
  EXPECT_EQ(part->tuples, first) << "in their order";
  queue.delivered(part->name);
  queue.delivered(part->name);
  EXPECT_EQ(queue.parts_to_deliver(), 1U);
}

TEST_F(QueueFile, LosesNothingWhenItsProcessIsKilled) {
  int receipts[2];
  ASSERT_EQ(::pipe(receipts), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ReportQueue queue = open(small_terms());
    for (int u = 0;; u += 50) {
      take(queue, reports_of(u, 50));
      if (u % 1000 == 950) tick(queue);
      if (::write(receipts[1], &u, sizeof u) != sizeof u) ::_exit(1);
    }
  }
  ::close(receipts[1]);
  int acknowledged = 0;
  while (acknowledged < 3000 && ::read(receipts[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int u = 0; ::read(receipts[0], &u, sizeof u) == sizeof u;) acknowledged = u;
  ::close(receipts[0]);

  clock_.pass(1000 * hour);
  ReportQueue queue = open(small_terms());
  const std::uint64_t kept = queue.counts().reports;
  EXPECT_GE(kept, static_cast<std::uint64_t>(acknowledged) + 50);
  EXPECT_EQ(kept % 50, 0U);
  const int all = static_cast<int>(kept) + 500;
  EXPECT_EQ(take(queue, reports_of(0, all)), (Taken{500, static_cast<std::uint32_t>(kept), 0}));
  tick(queue);
  Multiset out;
  for (const SurvivorPart& part : deliver(queue)) add_to(out, part.tuples);
  EXPECT_EQ(out, multiset_of(reports_of(0, all)));
}

TEST_F(QueueFile, KeepsNoOrderOfArrivalAndNoUserBesideATuple) {
  // If other users send the same tuples in another order, the table is the same.
  const auto rows_after = [&](bool reversed, int first_user) {
    std::filesystem::remove(file());
    {
      ReportQueue queue = open(small_terms());
      std::vector<Report> reports = reports_of(0, 60);
      if (reversed) std::reverse(reports.begin(), reports.end());
      int user = first_user;
      for (Report& report : reports) report.user = user_token(std::to_string(user++));
      for (std::size_t i = 0; i < reports.size(); i += 7) {
        take(queue, std::span(reports).subspan(i, std::min<std::size_t>(7, reports.size() - i)));
      }
    }
    return rows_of(file(), "SELECT * FROM waiting");
  };
  const auto once = rows_after(false, 0);
  EXPECT_GT(once.size(), 10U);
  EXPECT_EQ(once, rows_after(true, 1000));
  // A user leaves only a mark and a nonce, 16 bytes together. No column connects a mark or a nonce with a tuple.
  EXPECT_EQ(rows_of(file(), "SELECT sum(length(marks)) FROM recent").at(0), std::to_string(60 * 16));
  EXPECT_EQ(rows_of(file(), "SELECT name FROM pragma_table_info('waiting')"),
            (std::vector<std::string>{"code", "arm", "reward", "count"}));
}

TEST_F(QueueFile, HoldsNoTokenOfAUser) {
  const Report report = report_of(1, {2, 1, 1}, 5);
  {
    ReportQueue queue = open(small_terms());
    take(queue, report);
  }
  const std::string bytes = slurp(file());
  EXPECT_GT(bytes.size(), 4096U);
  EXPECT_THAT(bytes, Not(HasSubstr(std::string(reinterpret_cast<const char*>(report.user.data()), 8))));
}

TEST_F(QueueFile, IsForItsOwnerAlone) {
  { (void)open(small_terms()); }
  EXPECT_EQ(mode_of(file()), 0600U);
  ::chmod(file().c_str(), 0644);
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("run `chmod 600` on it"));
}

TEST_F(QueueFile, RefusesOtherTermsAndOtherKeys) {
  { (void)open(small_terms()); }
  P2bTerms other = small_terms();
  other.codes = 16;
  EXPECT_THAT(refusal_of(other), HasSubstr("was made for 8 codes, here 16"));
  other = small_terms();
  other.p = 0.25;
  EXPECT_THAT(refusal_of(other), HasSubstr("p = 0.5, here 0.25"));
  EXPECT_THAT(refusal_of(small_terms(2)), HasSubstr("a threshold of 1, here 2"));
  EXPECT_THAT(refusal_of(small_terms(), 1000, 2), HasSubstr("made with another key"));
  EXPECT_EQ(refusal_of(small_terms()), "");
  EXPECT_THROW((void)open(small_terms(1), 0), std::invalid_argument);
}

TEST_F(QueueFile, RefusesAFileThatIsNone) {
  std::ofstream(file()) << "this is a text, and longer than the header of a database needs to be to be taken for one, "
                           "which is a hundred bytes";
  ::chmod(file().c_str(), 0600);
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("damaged"));
}

TEST_F(QueueFile, IsOneProcessAlone) {
  const ReportQueue queue = open(small_terms());
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("another process uses this store"));
}

TEST_F(QueueFile, MadeOnlyHalfIsMadeToTheEnd) {
  std::ofstream{file()};
  ::chmod(file().c_str(), 0600);
  ReportQueue queue = open(small_terms());
  EXPECT_EQ(take(queue, report_of(1, {0, 0, 0})).counted, 1U);
}

}  // namespace
}  // namespace sotto::apps::p2b
