// What a party gives away of a subject: events of it a day and ever, and its rows in windows of agreement.
#include "apps/live/roles/subjects.h"

#include <cmath>
#include <random>

#include "apps/bandit/model/privacy.h"
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

constexpr LiveTime day = 24 * 3600 * 1000;
const FeatureValues default_row{.5, .5};

FeatureValues row_of(unsigned number) { return {number / 1000., -(number / 1000.)}; }

class Subjects : public InService {
 protected:
  Subjects() {
    settings.batch_sizes = {1, 4, 16};
    guards[0].limits.per_day = 3;
    settings.reward_wait = 200 * day;
    settings.remember = 1000 * day;
  }
  void push_about(unsigned event, const std::string& subject, LiveTime now) {
    const std::vector<FeaturePush> calls{{live_event(event), row_of(event), subject}};
    EXPECT_EQ(party().push(calls, now), std::vector{PushStatus::stored});
  }
  // Which rows of a batch of these events went into the rounds, once it is done by all.
  std::vector<FeatureValues> decide(unsigned first, unsigned count, LiveTime now) {
    ask(first, count, now);
    EXPECT_TRUE(service->propose(now));
    std::vector<FeatureValues> rows = party().freeze(now);
    rows.resize(count);
    (void)service->finish(now);
    return rows;
  }
  // Of one event about that subject, whether its own row went in.
  bool is_own(unsigned event, const std::string& subject, LiveTime now) {
    push_about(event, subject, now);
    const std::vector<FeatureValues> rows = decide(event, 1, now);
    EXPECT_TRUE(rows[0] == row_of(event) || rows[0] == default_row);
    return rows[0] == row_of(event);
  }
};

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
  // Also what is learned of them.
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_THAT(party().learned_rows(),
              ElementsAre(row_of(1), row_of(2), row_of(3), default_row, default_row, row_of(6)));
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
  // With another limit the figures are those of that.
  guards[0].limits.ever = 6;
  (void)restart(start + 30 * day);
  EXPECT_EQ(party().subject_figures(start + 30 * day).at_limit, 0u);
  EXPECT_TRUE(is_own(21, "anna", start + 30 * day));
}

// A batch would give several answers about the same row at once.
TEST_F(Subjects, AreInABatchOnce) {
  begin();
  push_about(1, "anna", start);
  push_about(2, "ben", start);
  push_about(3, "anna", start);
  EXPECT_THAT(decide(1, 4, start), ElementsAre(row_of(1), row_of(2), default_row, default_row));
  EXPECT_EQ(party().subject("anna", start)->ever, 1u);
  EXPECT_EQ(party().subject_figures(start).default_rows, 1u);
  EXPECT_EQ(party().book().last().tally.missing, 1u) << "of event 4 nothing was pushed";
}

// What nobody names is counted for nobody, and who has no row has nothing to tell.
TEST_F(Subjects, AreThoseOfTheEntryWhereThePartyNamesNone) {
  guards[0].limits.per_day = 1;
  begin();
  const auto decide_about = [&](unsigned event, const std::string& pseudonym, const std::string& own, bool has_row) {
    if (has_row) push_about(event, own, start);
    DecisionRequest request = live_request(event);
    request.subject = pseudonym;
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    EXPECT_TRUE(service->propose(start));
    const FeatureValues row = party().freeze(start).front();
    (void)service->finish(start);
    return row == row_of(event);
  };
  EXPECT_FALSE(decide_about(1, "p-1", "", false));
  EXPECT_TRUE(decide_about(2, "p-1", "", true));
  EXPECT_FALSE(decide_about(3, "p-1", "", true));
  EXPECT_TRUE(decide_about(4, "p-1", "anna", true)) << "the party's own name counts";
  EXPECT_FALSE(decide_about(5, "p-2", "anna", true));
  for (unsigned event = 6; event < 10; ++event) {
    EXPECT_TRUE(decide_about(event, event % 2 == 0 ? "-" : "", "", true));
  }
  // Whoever makes a pseudonym of the party's own name uses up nothing of that.
  EXPECT_TRUE(decide_about(10, "ben", "", true));
  EXPECT_TRUE(decide_about(11, "p-3", "ben", true));
  EXPECT_FALSE(decide_about(12, "p-3", "ben", true));
}

// A party whose table says whom pseudonyms are counts by that also where a row was pushed without a name.
TEST_F(Subjects, AreThoseOfTheTableWhereARowComesWithoutAName) {
  guards[0].limits.per_day = 2;
  begin();
  const std::string anna = "anna";
  party().name_by([&](const std::string& pseudonym) { return pseudonym.starts_with("p-") ? &anna : nullptr; });
  const auto is_own_of_call = [&](unsigned event, const std::string& pseudonym) {
    push_about(event, "", start);
    DecisionRequest request = live_request(event);
    request.subject = pseudonym;
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    EXPECT_TRUE(service->propose(start));
    const FeatureValues row = party().freeze(start).front();
    (void)service->finish(start);
    return row == row_of(event);
  };
  EXPECT_TRUE(is_own_of_call(1, "p-1"));
  EXPECT_TRUE(is_own_of_call(2, "p-2"));
  EXPECT_FALSE(is_own_of_call(3, "p-3"));
  EXPECT_TRUE(is_own_of_call(4, "q-1")) << "of whom the table knows nothing";
}

// The number is done on the disk, with its counts, before any part of an arm leaves. What dies in between has counted,
// since the arms may have been seen; and whoever dies before has told nothing.
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
  EXPECT_EQ(party().freeze(start).front(), row_of(1)) << "its features wait again";
  (void)restart(start);
  EXPECT_EQ(party().subject("anna", start)->today, 1u) << "nothing had left";
}

// All orders of asking, dying before and after the arms leave, restarts, midnight, and a clock that is set back: from
// no day come more answers than the limit. The truth is kept beside the service.
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
        const bool is_own = party().freeze(now).front() == row_of(event);
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

// ---- questions

// Whoever chooses the other features reads a number from many decisions about it: the arm says on which side of a
// threshold x is, in all but a tenth of cases. Returns how far its best guess is off, from the answers to so many
// questions.
class Questioner {
 public:
  explicit Questioner(std::uint64_t seed) : random_(seed) { std::fill(posterior_.begin(), posterior_.end(), 1.); }

  // The threshold that halves what is believed.
  [[nodiscard]] double next() const {
    double sum = 0;
    for (const double p : posterior_) sum += p;
    double below = 0;
    std::size_t i = 0;
    while (below + posterior_[i] < sum / 2) below += posterior_[i++];
    return at(i);
  }
  // The decision: the better arm but in one of ten cases, and then either.
  [[nodiscard]] bool decision(double score) {
    const bool explores = random_() % 10 == 0;
    return explores ? random_() % 2 == 0 : score > 0;
  }
  void learn(double threshold, bool above) {
    for (std::size_t i = 0; i < posterior_.size(); ++i) posterior_[i] *= (at(i) > threshold) == above ? .95 : .05;
    double most = 0;
    for (const double p : posterior_) most = std::max(most, p);
    for (double& p : posterior_) p /= most;
  }
  [[nodiscard]] double guess() const { return next(); }

 private:
  static constexpr std::size_t cells = 4000;
  static double at(std::size_t i) { return static_cast<double>(i) / cells; }

  std::mt19937_64 random_;
  std::vector<double> posterior_ = std::vector<double>(cells);
};

class Questions : public Subjects {
 protected:
  // How far off, after 500 questions about one customer of the party.
  double error_of(double secret, std::uint64_t seed) {
    for (Disk& disk : disks) disk = Disk{};
    (void)restart(start);
    Questioner questioner(seed);
    own_ = 0;
    for (unsigned question = 1; question <= 500; ++question) {
      const double threshold = questioner.next();
      const std::vector<FeaturePush> calls{{live_event(question), {secret, 0}, "anna"}};
      (void)party().push(calls, start);
      ask(question, 1, start);
      EXPECT_TRUE(service->propose(start));
      const FeatureValues row = party().freeze(start).front();
      own_ += row[0] == secret ? 1 : 0;
      questioner.learn(threshold, questioner.decision(row[0] - threshold));
      (void)service->finish(start);
    }
    return std::abs(questioner.guess() - secret);
  }
  // Of nine secrets the error in the middle.
  double middle_error() {
    std::vector<double> errors;
    for (unsigned i = 1; i <= 9; ++i) errors.push_back(error_of(i / 9.7, i));
    std::nth_element(errors.begin(), errors.begin() + 4, errors.end());
    return errors[4];
  }

  unsigned own_ = 0;
};

TEST_F(Questions, ReadAFeatureToThreeDigitsWithoutALimit) {
  guards[0].limits.per_day = 1'000'000;
  EXPECT_LT(middle_error(), .001);
  EXPECT_EQ(own_, 500u);
}

// 20 answers of .71 bits are 14 bits at most; and each of the 480 others is the default row's.
TEST_F(Questions, GetWhatTheLimitAllows) {
  guards[0].limits = SubjectLimits{};
  const double error = middle_error();
  EXPECT_EQ(own_, 20u);
  EXPECT_GT(error, .001);
  EXPECT_LT(20 * bandit::bits_per_action(2, .1), 14.3);
  // After one question a half of the numbers is left.
  guards[0].limits = SubjectLimits{1'000'000, 1};
  EXPECT_GT(middle_error(), .1);
  EXPECT_EQ(own_, 1u);
}

TEST(BitsOfADecision, AreTheCapacityOfItsChannel) {
  EXPECT_NEAR(bandit::bits_per_action(2, .1), .7136, 1e-4);
  EXPECT_NEAR(bandit::bits_per_action(10, .1), 2.6002, 1e-4);
  EXPECT_NEAR(bandit::bits_per_action(4, 0), 2, 1e-12) << "log2 A where nothing is explored";
  EXPECT_NEAR(bandit::bits_per_action(4, 1), 0, 1e-12);
  EXPECT_EQ(bandit::bits_per_action(1, .1), 0);
  EXPECT_THROW((void)bandit::bits_per_action(2, 1.5), InputError);
}

// ---- windows of agreement

// Charges whom it may, and notes it.
class NotedCharges final : public WindowAccount {
 public:
  std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) override {
    std::vector<bool> charged;
    for (const std::string& subject : subjects) {
      charged.push_back(!poor.contains(subject));
      if (charged.back()) windows[window].insert(subject);
    }
    return charged;
  }
  void rest() override { ++rests; }

  std::set<std::string> poor;
  std::map<OrderNumber, std::set<std::string>> windows;
  unsigned rests = 0;
};

class Windows : public Subjects {
 protected:
  Windows() {
    settings.mode = LiveMode::apprentice;
    settings.agreement_window = 6;
    guards[0].limits.per_day = 1000;
    guards[0].account = &account;
  }
  struct Asked {
    std::string pseudonym;
    std::string own;
  };
  // The rows that were compared of a batch about these; the actor's arms are in `arms`.
  std::vector<FeatureValues> compare(const std::vector<Asked>& about) {
    std::vector<unsigned> events;
    for (const Asked& each : about) {
      events.push_back(next_);
      push_about(next_, each.own, start);
      DecisionRequest request = live_request(next_++);
      request.subject = each.pseudonym;
      request.own_arm = 0;
      EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    }
    EXPECT_TRUE(service->propose(start));
    arms = actor().own_arms();
    std::vector<FeatureValues> rows = party().freeze(start);
    rows.resize(about.size());
    own.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) own.push_back(rows[i] == row_of(events[i]));
    if (finishes) (void)service->finish(start);
    return rows;
  }

  NotedCharges account;
  std::vector<std::optional<std::uint16_t>> arms;
  std::vector<bool> own;  // of the rows that were compared
  bool finishes = true;
  unsigned next_ = 1;
};

TEST_F(Windows, TakeTheFirstEventOfASubject) {
  begin();
  (void)compare({{"p-1", ""}, {"p-2", ""}, {"", ""}});
  EXPECT_THAT(own, ElementsAre(true, true, true));
  (void)compare({{"p-1", ""}, {"p-3", ""}});
  EXPECT_THAT(own, ElementsAre(false, true));
  EXPECT_THAT(arms, ElementsAre(std::nullopt, std::optional<std::uint16_t>(0))) << "the actor counts the same";
  EXPECT_EQ(actor().book().last().agreement.counted, 4u);
  EXPECT_EQ(actor().book().last().agreement.events, 5u);
  // The default row is of the comparison: what is learned is the row.
  const auto used = decode_batch_features(rows[1].get(key_of(LiveTable::used, OrderNumber{2})).value());
  EXPECT_EQ(used->at(0)->values, row_of(4));
  EXPECT_THAT(account.windows[1], ::testing::UnorderedElementsAre("p-1", "p-2", "p-3"));
  (void)restart(start);
  (void)compare({{"p-2", ""}});
  EXPECT_THAT(own, ElementsAre(false)) << "it is on the disk";
  EXPECT_TRUE(actor().book().opens_agreement());
  (void)compare({{"p-1", ""}, {"p-2", ""}});
  EXPECT_THAT(own, ElementsAre(true, true)) << "of the next window";
  EXPECT_EQ(actor().book().last().agreement.last.events, 4u);
  EXPECT_THAT(account.windows[4], ::testing::UnorderedElementsAre("p-1", "p-2"));
  EXPECT_EQ(account.windows.size(), 2u);
}

TEST_F(Windows, TakeSoManyRowsOfASubject) {
  settings.agreement_rows_per_subject = 2;
  begin();
  for (const bool expected : {true, true, false, false}) {
    (void)compare({{"p-1", ""}});
    EXPECT_EQ(own.front(), expected);
    EXPECT_EQ(arms.front().has_value(), expected);
  }
}

// Of whom the party alone knows that they are one, the actor counts both events, and the party's row is in once.
TEST_F(Windows, GoByThePartysOwnNames) {
  begin();
  (void)compare({{"p-1", "anna"}});
  (void)compare({{"p-2", "anna"}});
  EXPECT_THAT(own, ElementsAre(false));
  EXPECT_TRUE(arms.front());
  EXPECT_EQ(actor().book().last().agreement.counted, 2u);
}

TEST_F(Windows, HaveNoRowOfWhoHasNoBudget) {
  account.poor = {"anna"};
  begin();
  (void)compare({{"p-1", "anna"}, {"p-2", "ben"}});
  EXPECT_THAT(own, ElementsAre(false, true));
  EXPECT_TRUE(arms.front()) << "nobody else knows of it";
  EXPECT_EQ(party().subject_figures(start).uncharged, 1u);
  EXPECT_THAT(account.windows[1], ::testing::UnorderedElementsAre("ben"));
}

TEST_F(Windows, UndoneTakeTheSameAgain) {
  begin();
  (void)compare({{"p-1", ""}});
  finishes = false;
  (void)compare({{"p-2", ""}});
  (void)service->prepare(0, start);
  (void)restart(start);
  next_ = 2;
  finishes = true;
  DecisionRequest request = live_request(2);
  request.subject = "p-2";
  request.own_arm = 0;
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party().freeze(start).front(), row_of(2)) << "the number was rolled back, and its rows with it";
  (void)service->finish(start);
  EXPECT_THAT(account.windows[1], ::testing::UnorderedElementsAre("p-1", "p-2"));
}

// After a recovery the window begins anew, unshown: who was in it is charged for the next one too.
TEST_F(Windows, BeginAnewAfterARecovery) {
  begin();
  (void)compare({{"p-1", ""}});
  disks[3] = Disk{};
  wishes[3].rebuild = true;
  for (const std::size_t other : {0, 1, 2}) wishes.at(other).accept_rewarder = true;
  (void)restart(start);
  wishes = {};
  (void)compare({{"p-1", ""}});
  EXPECT_THAT(own, ElementsAre(true));
  EXPECT_EQ(account.windows.size(), 2u);
}

TEST_F(Windows, LetOthersUseTheAccountInOtherModes) {
  begin();
  (void)compare({{"p-1", ""}});
  EXPECT_EQ(account.rests, 0u);
  actor().change_mode(LiveMode::online);
  ASSERT_TRUE(service->propose(start));
  (void)service->finish(start);
  EXPECT_EQ(account.rests, 1u) << "at once";
}

// m events of a person move the sum of a window by what it takes of a subject, whatever the actor asks: the parties
// see to it by the rows that they compare.
TEST_F(Windows, AreMovedByASubjectOnce) {
  settings.agreement_window = 1000;
  begin();
  unsigned compared = 0;
  for (unsigned i = 0; i < 40; ++i) {
    (void)compare({{i % 3 == 0 ? "p-1" : "p-" + std::to_string(i), "anna"}});
    compared += own.front() ? 1 : 0;
  }
  EXPECT_EQ(compared, 1u);
}

// Rows of windows that are over are erased as the role forgets what is old.
TEST_F(Windows, AreForgotten) {
  begin();
  for (unsigned i = 0; i < 20; ++i) (void)compare({{"p-" + std::to_string(i), ""}});
  const auto rows_of_windows = [&](std::size_t role) {
    std::size_t count = 0;
    rows.at(role).each(LiveTable::window, [&](const RowKey&, const LiveRow&) {
      ++count;
      return true;
    });
    return count;
  };
  EXPECT_EQ(rows_of_windows(1), 21u);
  (void)party().forget(start);
  actor().forget(start);
  EXPECT_LE(rows_of_windows(1), 7u);
  EXPECT_EQ(rows_of_windows(0), rows_of_windows(1));
  (void)restart(start);
  (void)compare({{"p-19", ""}});
  EXPECT_THAT(own, ElementsAre(false)) << "the last one is still known";
}

// ---- the actor

// Two events of a subject would share a batch: the second is refused until the first has its arm.
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

// Rows of decides are put together page by page. However far that has come, and whenever the role begins again, the
// counts are those of all decides.
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
  // With other limits its figures are of those.
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
