// Windows of the lift at the roles (order/lift_window.h). The roles' outcomes come from the test.
#include "apps/live/order/lift_window.h"

#include "apps/live/roles/archive.h"
#include "tests/apps/live/limited_service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

constexpr LiftTerms terms_of_two{2, 10, .5};

TEST(LiftWindows, AreShownOnceTheyAreFull) {
  LiftWindow party;
  party = after(party, {6, {1, 2, 3, 4, 5, 6}, {}}, terms_of_two);
  EXPECT_FALSE(party.is_full);
  EXPECT_TRUE(fills(party, 4, terms_of_two));
  EXPECT_FALSE(fills(party, 3, terms_of_two));
  party = after(party, {5, {1, 1, 1, 1, 1, ~std::uint64_t{0}}, {}}, terms_of_two);
  EXPECT_TRUE(party.is_full);
  EXPECT_EQ(party.events, 11u);
  EXPECT_EQ(party.words, (LiftWords{2, 3, 4, 5, 6, 5})) << "modulo 2^64";
  EXPECT_EQ(party.spent, .5);
  EXPECT_EQ(party.opened, 0u);
  party = after(party, {3, {9, 9, 9, 9, 9, 9}, {}}, terms_of_two);
  EXPECT_EQ(party.opened, 1u);
  EXPECT_EQ(party.events, 3u);
  EXPECT_EQ(party.words, (LiftWords{9, 9, 9, 9, 9, 9})) << "a new window";

  LiftWindow actor = after({}, {10, {}, {0, 0, 0, 0, 0, 0}}, terms_of_two);
  EXPECT_TRUE(actor.is_full);
  EXPECT_TRUE(actor.last.empty());
  for (unsigned turn = 1; turn <= 2; ++turn) {
    actor = after(actor, {10, {}, {1, 2, 3, 4, 5, 6}}, terms_of_two);
    EXPECT_EQ(actor.opened, turn);
    EXPECT_EQ(actor.last, (LiftWords{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(actor.all.at(5), 6 * turn);
  }
  const LiftWindow again = with_new_window(actor);
  EXPECT_EQ(again.events, 0u);
  EXPECT_FALSE(again.is_full);
  EXPECT_EQ(again.all, actor.all) << "what was shown stays";
  EXPECT_EQ(after({}, {10, {1}, {}}, LiftTerms{}), LiftWindow{}) << "without levels there is no lift";
}

TEST(LiftWindows, AreWrittenInRowsOfTheChain) {
  ChainRow row;
  row.lift = after({}, {10, {1, 2, 3, 4, 5, 6}, {}}, terms_of_two);
  EXPECT_EQ(decode_chain_row(encode(row)), row);
  row.from = {30, 40};
  EXPECT_EQ(decode_chain_row(encode(row)), row);
  row.lift = {};
  EXPECT_EQ(decode_chain_row(encode(row)), row);
  row.from = {};
  std::vector<std::byte> bytes = encode(row);
  bytes.resize(bytes.size() + 2);
  EXPECT_EQ(decode_chain_row(bytes), std::nullopt) << "an end that says nothing";
}

// Charges every subject except those in `poor`.
class LiftCharges final : public WindowAccount {
 public:
  std::vector<bool> charge(OrderNumber window, std::span<const std::string> subjects) override {
    std::vector<bool> charged;
    for (const std::string& subject : subjects) {
      charged.push_back(!poor.contains(subject));
      if (charged.back()) windows[window].insert(subject);
    }
    return charged;
  }
  void rest() override {}

  std::set<std::string> poor;
  std::map<OrderNumber, std::set<std::string>> windows;
};

class Lift : public InLimitedService {
 protected:
  Lift() {
    settings.lift = true;
    settings.lift_levels = {0, 1};
    settings.agreement_window = 4;
    settings.baseline_arm = FiveRoles::told_arm;
    guards[0].limits.per_day = 1000;
    guards[0].account = &account;
  }
  // Decides an event of each person, by the party's own names. An empty name names nobody.
  void decide(const std::vector<std::string>& persons) {
    for (const std::string& person : persons) {
      push_about(next_, person, now_);
      EXPECT_EQ(actor().ask(live_request(next_++), now_).status, AskStatus::pending);
    }
    (void)service->run(now_);
  }
  // Begins the next learn, and returns what party 0 brings.
  LiftPart begin_learn() {
    now_ += settings.reward_wait;
    EXPECT_TRUE(service->propose(now_));
    return party().lift_part();
  }
  LiftPart learn() {
    const LiftPart part = begin_learn();
    (void)service->finish(now_);
    now_ += 1000;
    return part;
  }
  [[nodiscard]] const LiftWindow& window(std::size_t i = 0) { return party(i).book().last().lift; }

  LiftCharges account;
  LiveTime now_ = start;
  unsigned next_ = 1;
};

TEST_F(Lift, CountsAPersonOnceInAWindow) {
  begin();
  decide({"anna", "ben"});
  EXPECT_EQ(learn().counted, (std::vector<std::uint8_t>{1, 1}));
  decide({"anna", ""});
  const LiftPart second = learn();
  EXPECT_EQ(second.counted, (std::vector<std::uint8_t>{0, 1})) << "anna is in the window already";
  EXPECT_EQ(second.best, (std::vector<std::uint8_t>{0, 1}));
  ASSERT_TRUE(window().is_full);
  decide({"anna", "carl"});
  EXPECT_EQ(learn().counted, (std::vector<std::uint8_t>{1, 1})) << "a new window";
  EXPECT_EQ(window().opened, 1u);
  ASSERT_EQ(account.windows.size(), 2u);
  EXPECT_EQ(account.windows.begin()->second, (std::set<std::string>{"anna", "ben"}));
  EXPECT_EQ(account.windows.rbegin()->second, (std::set<std::string>{"anna", "carl"}));
}

TEST_F(Lift, LeavesOutWhoCannotBeCharged) {
  account.poor = {"ben"};
  begin();
  decide({"anna", "ben", "", "carl"});
  EXPECT_EQ(learn().counted, (std::vector<std::uint8_t>{1, 0, 1, 1}));
}

TEST_F(Lift, EveryRoleAddsItsNoiseOnceAWindowIsFull) {
  begin();
  decide({"", "", ""});
  (void)learn();
  const LiftWords before = window().words;
  decide({"", ""});
  (void)learn();
  ASSERT_TRUE(window().is_full);
  // The test's party 0 has the noise -1, party 1 the noise 3, and the rewarder the noise 7.
  const LiftWords counts = service->lift_counts(0);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(window().words[i], before[i] + counts[i] - (i < 2 ? 0 : 1)) << "noise in counts of the baseline arm";
  }
  EXPECT_EQ(rewarder().book().last().lift.words, LiftWords(6, 7));
  EXPECT_TRUE(actor().book().last().lift.is_full);
  decide({""});
  (void)begin_learn();
  EXPECT_EQ(party(0).shown_lift(), party(0).book().last().lift.words);
  EXPECT_EQ(rewarder().shown_lift(), LiftWords(6, 7));
  const LiftWords shown = service->shown_lift();
  (void)service->finish(now_);
  EXPECT_EQ(actor().book().last().lift.last, shown);
  EXPECT_EQ(actor().book().last().lift.opened, 1u);
  decide({""});
  (void)begin_learn();
  EXPECT_EQ(party(0).shown_lift(), LiftWords(6, 0)) << "nothing to show";
  EXPECT_EQ(rewarder().shown_lift(), LiftWords(6, 0));
}

// The learn fills and shows windows. Each role ends after each of them has prepared it, and nothing is counted twice.
TEST_F(Lift, ALearnThatIsRolledBackIsCountedOnce) {
  begin();
  decide({"anna", "ben", "carl", "dora"});
  now_ += settings.reward_wait;
  ASSERT_TRUE(service->propose(now_));
  (void)service->prepare(0, now_);
  ASSERT_TRUE(window().is_full);
  (void)restart(now_);
  EXPECT_FALSE(window().is_full) << "party 1 has not prepared it";
  EXPECT_EQ(learn().counted, (std::vector<std::uint8_t>{1, 1, 1, 1})) << "in the same window";
  EXPECT_EQ(account.windows.size(), 1u);
  EXPECT_TRUE(window().is_full);
}

// All parties have prepared the learn that shows a window, and the actor has not: the parties send the counts again.
TEST_F(Lift, ShownCountsAreRestated) {
  begin();
  decide({"", "", "", ""});
  (void)learn();
  decide({""});
  (void)begin_learn();
  const LiftWords shown = service->shown_lift();
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, now_);
  (void)restart(now_);
  EXPECT_EQ(actor().book().last().lift.opened, 1u);
  EXPECT_EQ(actor().book().last().lift.last, shown);
  EXPECT_EQ(rewarder().book().last().lift.opened, 1u);
  EXPECT_EQ(window().opened, 1u);
}

TEST_F(Lift, TheActorCountsWhatTheServiceChoseAmongAllArms) {
  begin();
  DecisionRequest barred = live_request(1);
  barred.barred = {2};
  DecisionRequest inactive = live_request(2);
  inactive.activate = false;
  for (const DecisionRequest& request : {barred, inactive, live_request(3)}) {
    EXPECT_EQ(actor().ask(request, now_).status, AskStatus::pending);
  }
  (void)service->run(now_);
  (void)begin_learn();
  const LiveActor::LiftPlayed played = actor().lift_played();
  EXPECT_EQ(played.told, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(played.base, played.told) << "the told arm is the baseline arm";
}

TEST_F(Lift, BitsGoWithTheLearn) {
  begin();
  decide({"anna"});
  EXPECT_TRUE(rows[1].get(key_of(LiveTable::archive, OrderNumber{1})));
  (void)learn();
  decide({"ben"});
  EXPECT_FALSE(rows[1].get(key_of(LiveTable::archive, OrderNumber{1})));
  EXPECT_FALSE(rows[1].get(key_of(LiveTable::used, OrderNumber{1})));
}

}  // namespace
}  // namespace sotto::apps::live
