#include <map>
#include <set>

#include "tests/apps/live/limited_service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

// An account that charges every subject except the subjects in `poor`, and records the charges.
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

class Windows : public InLimitedService {
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
    for (std::size_t i = 0; i < rows.size(); ++i) own.push_back(rows[i] == own_row(events[i]));
    if (finishes) (void)service->finish(start);
    return rows;
  }

  NotedCharges account;
  std::vector<std::optional<std::uint16_t>> arms;
  std::vector<bool> own;  // for each compared row, whether it is the event's own row
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
  const auto used = decode_batch_features(rows[1].get(key_of(LiveTable::used, OrderNumber{2})).value());
  EXPECT_EQ(used->at(0)->values, own_row(4));
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

// Only the party knows that two pseudonyms are one person. The actor counts both events, and the party compares the
// person's row once.
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
  EXPECT_EQ(party().freeze(start).front(), own_row(2)) << "the number was rolled back, and its rows with it";
  (void)service->finish(start);
  EXPECT_THAT(account.windows[1], ::testing::UnorderedElementsAre("p-1", "p-2"));
}

TEST_F(Windows, BeginAnewAfterARecovery) {
  begin();
  (void)compare({{"p-1", ""}});
  disks[3] = Disk{};
  recovery_requests[3].rebuild = true;
  for (const std::size_t other : {0, 1, 2}) recovery_requests.at(other).accept_rewarder = true;
  (void)restart(start);
  recovery_requests = {};
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

// All events of one person change the sum of a window by at most the limit for a subject, however many events the actor
// asks about.
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

}  // namespace
}  // namespace sotto::apps::live
