#include "apps/live/roles/subjects.h"

#include <random>

#include "apps/live/roles/window_subjects.h"
#include "tests/apps/live/limited_service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class Subjects : public InLimitedService {};

TEST_F(Subjects, HaveTheDefaultRowBeyondTheirLimit) {
  begin();
  for (unsigned event = 1; event <= 5; ++event) EXPECT_EQ(is_own(event, "anna", start), event <= 3) << event;
  EXPECT_TRUE(is_own(6, "ben", start));
  const SubjectFigures figures = party().subject_figures(start);
  EXPECT_EQ(figures.most_today, 3u);
  EXPECT_EQ(figures.most_ever, 3u);
  EXPECT_EQ(figures.at_limit, 1u);
  EXPECT_EQ(figures.default_rows, 2u);
  EXPECT_EQ(party().book().last().tally.missing, 0u) << "their features were there";
  EXPECT_EQ(party().subject("anna", start)->today, 3u);
  EXPECT_EQ(party().subject("ben", start)->ever, 1u);
  EXPECT_FALSE(party().subject("carl", start));
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_THAT(party().learned_rows(),
              ElementsAre(own_row(1), own_row(2), own_row(3), default_row, default_row, own_row(6)));
}

TEST_F(Subjects, AreCountedOverRestarts) {
  begin();
  for (unsigned event = 1; event <= 4; ++event) EXPECT_EQ(is_own(event, "anna", start), event <= 3);
  (void)restart(start + 1);
  EXPECT_FALSE(is_own(5, "anna", start + 2));
  EXPECT_EQ(party().subject_figures(start).default_rows, 2u);
}

TEST_F(Subjects, BeginAnewWithADayAndNotWithAClockThatIsSetBack) {
  begin();
  LiveTime now = start;
  unsigned event = 1;
  const auto own_of = [&](LiveTime at) {
    unsigned own = 0;
    for (unsigned i = 0; i < 4; ++i) own += is_own(event++, "anna", at) ? 1 : 0;
    return own;
  };
  EXPECT_EQ(own_of(now), 3u);
  EXPECT_EQ(own_of(now + day - start % day - 1), 0u) << "the last moment of the day";
  EXPECT_EQ(own_of(now + day - start % day), 3u) << "the first one of the next";
  EXPECT_EQ(party().subject_figures(now + day).at_limit, 1u);
  EXPECT_EQ(own_of(now), 0u) << "the clock was set back";
  (void)restart(now);
  EXPECT_EQ(own_of(now), 0u);
  EXPECT_EQ(party().days_ahead(now), 1u);
  EXPECT_EQ(own_of(now + 2 * day), 3u);
  EXPECT_EQ(party().subject("anna", now + 2 * day)->ever, 9u);
  EXPECT_EQ(party().subject("anna", now + 3 * day)->today, 0u);
  EXPECT_EQ(party().subject_figures(now + 3 * day).most_today, 0u);
  EXPECT_EQ(party().subject_figures(now + 3 * day).at_limit, 0u);
}

TEST_F(Subjects, HaveALimitForEver) {
  guards[0].limits.ever = 4;
  begin();
  unsigned own = 0;
  for (unsigned event = 1; event <= 20; ++event) own += is_own(event, "anna", start + event * day) ? 1 : 0;
  EXPECT_EQ(own, 4u);
  EXPECT_EQ(party().subject_figures(start + 30 * day).at_limit, 1u) << "on every day";
  guards[0].limits.ever = 6;
  (void)restart(start + 30 * day);
  EXPECT_EQ(party().subject_figures(start + 30 * day).at_limit, 0u);
  EXPECT_TRUE(is_own(21, "anna", start + 30 * day));
}

// With several events about one row in a batch, the actor would learn several arms that depend on that row.
TEST_F(Subjects, AreInABatchOnce) {
  begin();
  push_about(1, "anna", start);
  push_about(2, "ben", start);
  push_about(3, "anna", start);
  EXPECT_THAT(decide(1, 4, start), ElementsAre(own_row(1), own_row(2), default_row, default_row));
  EXPECT_EQ(party().subject("anna", start)->ever, 1u);
  EXPECT_EQ(party().subject_figures(start).default_rows, 1u);
  EXPECT_EQ(party().book().last().tally.missing, 1u) << "of event 4 nothing was pushed";
}

// If neither the call nor the party names the subject of an event, the event does not count for any subject. If the
// party has no row for an event, the event reveals nothing about a subject.
TEST_F(Subjects, AreThoseOfTheEntryWhereThePartyNamesNone) {
  guards[0].limits.per_day = 1;
  begin();
  const auto decide_about = [&](unsigned event, const std::string& pseudonym, const std::string& own, bool has_row) {
    if (has_row) push_about(event, own, start);
    return is_own_of_call(event, pseudonym);
  };
  EXPECT_FALSE(decide_about(1, "p-1", "", false));
  EXPECT_TRUE(decide_about(2, "p-1", "", true));
  EXPECT_FALSE(decide_about(3, "p-1", "", true));
  EXPECT_TRUE(decide_about(4, "p-1", "anna", true)) << "the party's own name counts";
  EXPECT_FALSE(decide_about(5, "p-2", "anna", true));
  for (unsigned event = 6; event < 10; ++event) {
    EXPECT_TRUE(decide_about(event, event % 2 == 0 ? "-" : "", "", true));
  }
  EXPECT_TRUE(decide_about(10, "ben", "", true));
  EXPECT_TRUE(decide_about(11, "p-3", "ben", true));
  EXPECT_FALSE(decide_about(12, "p-3", "ben", true));
}

TEST_F(Subjects, AreThoseOfTheTableWhereARowComesWithoutAName) {
  guards[0].limits.per_day = 2;
  begin();
  const std::string anna = "anna";
  party().name_by([&](const std::string& pseudonym) { return pseudonym.starts_with("p-") ? &anna : nullptr; });
  for (unsigned event = 1; event <= 4; ++event) push_about(event, "", start);
  EXPECT_TRUE(is_own_of_call(1, "p-1"));
  EXPECT_TRUE(is_own_of_call(2, "p-2"));
  EXPECT_FALSE(is_own_of_call(3, "p-3"));
  EXPECT_TRUE(is_own_of_call(4, "q-1")) << "of whom the table knows nothing";
}

// The party writes the counts to the disk before it sends any share of an arm. If a decide is undone after the party
// has sent shares, its events still count, because the actor may have seen the arms. If the party dies before it sends
// shares, it has revealed nothing.
TEST_F(Subjects, CountWhatWasUndone) {
  begin();
  push_about(1, "anna", start);
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  (void)service->prepare(0, start);
  (void)restart(start);
  EXPECT_EQ(party().book().last().mark.number, 0u) << "it is rolled back, for party 1 has not done it";
  EXPECT_EQ(party().subject("anna", start)->today, 1u);
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party().freeze(start).front(), own_row(1)) << "its features wait again";
  (void)restart(start);
  EXPECT_EQ(party().subject("anna", start)->today, 1u) << "nothing had left";
}

// Tries all orders of these steps: a decision, a crash of the party before or after it sends the arms, a restart,
// midnight, and a clock that is set back. On no day may there be more answers than the limit.
TEST_F(Subjects, GiveNoMoreThanTheirLimitWhateverHappens) {
  enum class Step : std::uint8_t { ask, dies_after, dies_before, restart, midnight, back };
  constexpr unsigned steps = 6;
  constexpr unsigned length = 5;
  constexpr std::uint64_t limit = 2;
  guards[0].limits.per_day = limit;
  unsigned plans = 1;
  for (unsigned i = 0; i < length; ++i) plans *= steps;
  for (unsigned plan = 0; plan < plans; ++plan) {
    for (Disk& disk : disks) disk = Disk{};
    LiveTime now = start + 5 * day;
    (void)restart(now);
    std::uint64_t answers = 0, days = 1;
    unsigned rest = plan;
    for (unsigned i = 0; i < length; ++i, rest /= steps) {
      const auto step = static_cast<Step>(rest % steps);
      if (step == Step::midnight) {
        now += day;
        ++days;
      } else if (step == Step::back) {
        now -= day;
      } else if (step == Step::restart) {
        (void)restart(now);
      } else {
        const unsigned event = 1 + i;
        push_about(event, "anna", now);
        ask(event, 1, now);
        ASSERT_TRUE(service->propose(now));
        const bool is_own = party().freeze(now).front() == own_row(event);
        if (step == Step::dies_before) {
          (void)restart(now);
          continue;
        }
        answers += is_own ? 1 : 0;
        if (step == Step::dies_after) {
          (void)service->prepare(0, now);
          (void)restart(now);
        } else {
          (void)service->finish(now);
        }
      }
    }
    ASSERT_LE(answers, limit * days) << "plan " << plan;
  }
}

TEST_F(Subjects, WaitOneByOne) {
  begin();
  const auto ask_about = [&](unsigned event, const std::string& subject) {
    DecisionRequest request = live_request(event);
    request.subject = subject;
    return actor().ask(request, start).status;
  };
  EXPECT_EQ(ask_about(1, "p-1"), AskStatus::pending);
  EXPECT_EQ(ask_about(1, "p-1"), AskStatus::pending) << "the same event again";
  EXPECT_EQ(ask_about(2, "p-1"), AskStatus::subject_waits);
  EXPECT_EQ(ask_about(2, "p-2"), AskStatus::pending);
  for (unsigned event = 3; event < 6; ++event) EXPECT_EQ(ask_about(event, event == 5 ? "" : "-"), AskStatus::pending);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(ask_about(6, "p-1"), AskStatus::subject_waits) << "it is on its way";
  (void)service->finish(start);
  EXPECT_EQ(ask_about(6, "p-1"), AskStatus::pending);
  EXPECT_EQ(actor().figures().rejected, 2u);
}

TEST(SubjectRows, ArePutTogetherAndCountedOnce) {
  Disk disk;
  MemoryRows rows(disk);
  const SubjectLimits limits{7, 20};
  auto counts = std::make_unique<SubjectCounts>(rows, limits);
  std::map<std::string, SubjectCount> truth;
  std::mt19937_64 random(5);
  std::uint64_t limited = 0;
  LiveTime now = 10 * day;
  const auto expect_all = [&] {
    std::uint64_t most_today = 0, most_ever = 0, at_limit = 0;
    for (auto& [name, count] : truth) {
      if (count.day != now / day) count = {now / day, 0, count.ever};
      EXPECT_EQ(counts->find(name), count) << name;
      most_today = std::max(most_today, count.today);
      most_ever = std::max(most_ever, count.ever);
      at_limit += count.today >= 7 || count.ever >= 20 ? 1 : 0;
    }
    EXPECT_EQ(counts->figures().most_today, most_today);
    EXPECT_EQ(counts->figures().most_ever, most_ever);
    EXPECT_EQ(counts->figures().at_limit, at_limit);
    EXPECT_EQ(counts->figures().default_rows, limited);
  };
  std::size_t erased = 0;
  for (unsigned decide = 0; decide < 1400; ++decide) {
    if (random() % 100 == 0) now += day;
    counts->take_time(now);
    std::vector<SubjectHash> subjects;
    std::uint64_t beyond = 0;
    for (unsigned i = 0; i < 256; ++i) {
      const std::string name = "person " + std::to_string(random() % 20'000);
      const SubjectHash hash = hash_of(name, NamedBy::party);
      if (std::find(subjects.begin(), subjects.end(), hash) != subjects.end()) continue;
      if (!counts->has_room(hash)) {
        ++beyond;
        continue;
      }
      SubjectCount& count = truth[name];
      if (count.day != now / day) count = {now / day, 0, count.ever};
      ++count.today;
      ++count.ever;
      subjects.push_back(hash);
    }
    limited += beyond;
    RowDraft draft(rows);
    counts->add(draft, subjects, beyond, 0);
    draft.commit();
    for (unsigned turn = 0; turn < 4; ++turn) {
      RowDraft tidy(rows);
      counts->put_together(tidy);
      tidy.commit();
    }
    if (random() % 40 == 0) {
      counts = std::make_unique<SubjectCounts>(rows, limits);
      counts->take_time(now);
      expect_all();
    }
    erased += disk.rows().contains(key_of(LiveTable::subjects, OrderNumber{1})) ? 0 : 1;
  }
  expect_all();
  EXPECT_GT(erased, 0u) << "rows that are in all pages are erased";
  EXPECT_EQ(SubjectCounts(rows, {1'000, {}}).figures().at_limit, 0u);
}

TEST(SubjectRows, AreRefusedWhereTheyAreDamaged) {
  Disk disk;
  MemoryRows rows(disk);
  const auto refuses = [&](LiveTable table, OrderNumber number, const LiveRow& row) {
    disk = Disk{};
    disk.apply({{key_of(table, number), row}});
    EXPECT_THROW(
        {
          SubjectCounts counts(rows, {5, 5});
          WindowSubjects window(rows);
        },
        InputError);
  };
  for (const LiveTable table : {LiveTable::subjects, LiveTable::window, LiveTable::subject_pages}) {
    refuses(table, 3, LiveRow(7));
  }
  refuses(LiveTable::figures, 2, LiveRow(7));
  refuses(LiveTable::subject_pages, 256, LiveRow(8));
  const LiveRow of_another_page(8 + 8 + 24);
  refuses(LiveTable::subject_pages, 3, of_another_page);
}

}  // namespace
}  // namespace sotto::apps::live
