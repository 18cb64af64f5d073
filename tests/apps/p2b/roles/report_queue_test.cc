#include "apps/p2b/roles/report_queue.h"

#include "tests/apps/p2b/roles/queues.h"
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
    clock_.pass(hour);  // the next report finds that the tick has come
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
  tick(queue);                                      // nothing came
  take_and_tick(queue, {report_of(1, {0, 0, 1})});  // nothing is left of it
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

// Whether something waits must not say when the next batch closes.
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

// Carried over to the next batch, what was dropped would show in that one.
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

// The first thousand of 1,001 would be a batch of a known size.
TEST_F(Queue, ReleasesNothingOfABatchThatHadNoRoom) {
  {
    ReportQueue queue = open(small_terms(), 1000);
    take(queue, reports_of(0, 1000));
    EXPECT_EQ(take(queue, report_of(5000, {1, 1, 1})).counted, 1U);  // acknowledged all the same
    EXPECT_EQ(take(queue, report_of(5000, {1, 1, 1})).repeated, 1U);
    EXPECT_EQ(queue.waiting(), 1001U);
  }
  // Not even where it is opened with more room.
  ReportQueue queue = open(small_terms(), 2000);
  EXPECT_EQ(queue.waiting(), 1001U);
  take_and_tick(queue, reports_of(6000, 10));
  EXPECT_FALSE(queue.next_part());
  EXPECT_EQ(queue.take_closed().at(0), (ClosedBatch{clock_.now(), 1011, 0, 1011, 0, true}));
  // The next one is as any other.
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

// In a uniform order, whatever that in which reports came and are kept: codes are spread over the places alike.
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
  EXPECT_LT(chi, 112);  // 49 degrees of freedom, 1e-6
  EXPECT_GT(chi, 14);   // nor is it a pattern
}

// Against a model of it: any messages of few users, restarts in between.
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

}  // namespace
}  // namespace sotto::apps::p2b
