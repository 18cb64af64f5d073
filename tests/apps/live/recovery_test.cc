#include <fmt/format.h>

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

enum : std::size_t { at_actor, at_party_0, at_party_1, at_rewarder, at_dealer };

class LiveRecovery : public InService {
 protected:
  void decide(unsigned first, unsigned count) {
    ask(first, count, now);
    while (actor().queued() > 0) {
      for (const LiveAnswer& answer : service->run(now)) told.push_back(answer);
    }
  }
  std::vector<std::byte> learn() {
    now += settings.reward_wait;
    rewards.clear();
    while (actor().pending() > 0) {
      (void)service->run(now);
      rewards.insert(rewards.end(), service->rewards.begin(), service->rewards.end());
    }
    return {static_cast<std::byte>(last())};
  }
  OrderNumber copy_model() {
    actor().take_snapshot();
    (void)service->run(now);
    return last();
  }
  OrderNumber last() { return actor().book().last().mark.number; }
  void go_back(OrderNumber snapshot) {
    for (const std::size_t party : {at_party_0, at_party_1}) {
      recovery_requests.at(party).go_back = true;
      recovery_requests.at(party).snapshot = snapshot;
    }
  }
  void lose_actor() {
    disks[at_actor] = Disk{};
    recovery_requests[at_actor].rebuild = true;
    for (const std::size_t other : {at_party_0, at_party_1, at_rewarder})
      recovery_requests.at(other).accept_actor = true;
  }
  void lose_rewarder() {
    disks[at_rewarder] = Disk{};
    recovery_requests[at_rewarder].rebuild = true;
    for (const std::size_t other : {at_party_0, at_party_1, at_actor})
      recovery_requests.at(other).accept_rewarder = true;
  }
  void expect_told_stays_told() {
    for (const LiveAnswer& answer : told) {
      const auto found = actor().find(answer.event);
      ASSERT_TRUE(found && found->answer);
      EXPECT_EQ(*found->answer, answer);
    }
  }
  std::string refusal() {
    const auto before = disks;
    make();
    const std::string text = error_of<DisagreementError>([&] { return service->agree(); });
    for (std::size_t role = 0; role < before.size(); ++role) EXPECT_EQ(disks.at(role).hash(), before.at(role).hash());
    return text;
  }
  void expect_sound(unsigned first) {
    const std::size_t before = told.size();
    decide(first, 2);
    EXPECT_EQ(told.size(), before + 2);
    EXPECT_EQ(actor().pending(), 2u);
    const auto learned = learn();
    EXPECT_EQ(party(0).model(), learned);
    EXPECT_EQ(party(1).model(), party(0).model());
  }

  LiveTime now = start;
  std::vector<LiveAnswer> told;
  std::vector<LearnedReward> rewards;
};

TEST_F(LiveRecovery, ASnapshotIsTheSameAtAllParties) {
  begin();
  decide(1, 2);
  const auto model = learn();
  const OrderNumber number = copy_model();
  const std::vector<SnapshotName> expected{{number, actor().book().last().mark.id, 2}};
  EXPECT_EQ(party(0).book().snapshots(), expected);
  EXPECT_EQ(party(1).book().snapshots(), expected);
  EXPECT_EQ(actor().book().snapshots(), expected);
  EXPECT_TRUE(rewarder().book().snapshots().empty());
  const auto row = decode_snapshot_row(*rows[at_party_1].get(key_of(LiveTable::snapshots, number)));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->model, model);
  expect_sound(3);
  for (std::size_t i = 0; i < most_snapshots; ++i) (void)copy_model();
  EXPECT_EQ(party().book().snapshots().size(), most_snapshots);
  EXPECT_GT(party().book().snapshots().front().number, number);
  const auto names = party().book().snapshots();
  (void)restart(now);
  EXPECT_EQ(party().book().snapshots(), names);
}

TEST_F(LiveRecovery, ASnapshotThatNotAllHaveIsRolledBack) {
  begin();
  actor().take_snapshot();
  ASSERT_TRUE(service->propose(now));
  (void)service->prepare(0, now);
  EXPECT_EQ(party(0).book().snapshots().size(), 1u);
  service->leave_epoch();
  (void)service->open(now);
  EXPECT_TRUE(party(0).book().snapshots().empty());
  EXPECT_EQ(copy_model(), 1u) << "it is still wanted";
}

TEST_F(LiveRecovery, ASnapshotIsRestated) {
  begin();
  actor().take_snapshot();
  ASSERT_TRUE(service->propose(now));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, now);
  (void)restart(now);
  EXPECT_EQ(actor().book().snapshots(), party().book().snapshots());
  EXPECT_EQ(actor().book().snapshots().size(), 1u);
}

TEST_F(LiveRecovery, GoesBackToACopyOfTheModel) {
  begin();
  decide(1, 2);
  const auto model = learn();
  const OrderNumber copy = copy_model();
  const Disk backup = disks[at_party_1];
  decide(3, 3);
  (void)learn();
  decide(6, 1);
  actor().change_mode(LiveMode::apprentice);
  (void)service->run(now);
  const OrderNumber before = last();
  disks[at_party_1] = backup;
  EXPECT_THAT(refusal(), HasSubstr("go back to a snapshot"));
  go_back(copy);
  (void)restart(now);
  const OrderNumber recovery = last();
  EXPECT_EQ(recovery, before + 1) << "above all before";
  EXPECT_EQ(party(0).model(), model);
  EXPECT_EQ(party(1).model(), party(0).model());
  for (const OrderBook* book : {&actor().book(), &party(0).book(), &party(1).book(), &rewarder().book()}) {
    EXPECT_EQ(book->last().learned, 2u);
    EXPECT_EQ(book->mode(), LiveMode::apprentice);
    EXPECT_EQ(book->pending(), 0u);
  }
  EXPECT_EQ(actor().book().epoch().dropped, 4u) << "three that were learned since, one that was pending";
  EXPECT_EQ(rewarder().book().epoch().dropped, 4u);
  EXPECT_EQ(party(1).book().epoch().dropped, 0u) << "it knows of none of them";
  expect_told_stays_told();
  EXPECT_EQ(post(6, 1, now), RewardStatus::not_learned);
  actor().change_mode(LiveMode::online);
  (void)service->run(now);
  expect_sound(20);
  const OrderNumber at = last();
  (void)restart(now);
  EXPECT_EQ(last(), at);
  EXPECT_FALSE(service->opening.recovery);
  go_back(recovery);
  (void)restart(now);
  EXPECT_EQ(last(), at + 1);
  EXPECT_EQ(party().model(), model);
  expect_sound(30);
}

// No copy of the model exists, so the model starts from the beginning. The service still knows the answers that it gave
// earlier.
TEST_F(LiveRecovery, APartyThatLostAllBeginsTheModelAnew) {
  begin();
  decide(1, 4);
  (void)learn();
  decide(5, 2);
  disks[at_party_0] = Disk{};
  EXPECT_THAT(refusal(), HasSubstr("party 0"));
  go_back(0);
  (void)restart(now);
  EXPECT_FALSE(party(0).model());
  EXPECT_FALSE(party(1).model());
  EXPECT_EQ(actor().book().last().learned, 0u);
  EXPECT_EQ(actor().book().last().decided, 6u) << "what privacy was spent on";
  expect_told_stays_told();
  expect_sound(10);
}

TEST_F(LiveRecovery, EveryPartyHasToSayIt) {
  begin();
  decide(1, 2);
  (void)learn();
  const OrderNumber copy = copy_model();
  const OrderNumber later = copy_model();
  decide(3, 2);
  go_back(copy);
  recovery_requests[at_party_1] = {};
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("party 1 has no flag"), HasSubstr("--from-snapshot"), HasSubstr("nothing was changed")));
  go_back(copy);
  recovery_requests[at_party_1].snapshot = later;
  EXPECT_THAT(refusal(), HasSubstr("--from-snapshot"));
  recovery_requests[at_party_1].snapshot = 99;
  EXPECT_THAT(error_of<InputError>([&] {
                make();
                return 0;
              }),
              AllOf(HasSubstr("--from-snapshot 99"), HasSubstr(fmt::format("0, {}, {}", copy, later))));
}

TEST_F(LiveRecovery, ARecoveryThatIsNotWholeIsMadeAgain) {
  begin();
  decide(1, 2);
  (void)learn();
  const OrderNumber copy = copy_model();
  decide(3, 2);
  go_back(copy);
  make();
  const LiveOpening opening = service->agree();
  service->parties[1]->open(opening, {});
  service->actor->open(opening, {}, {}, now);
  recovery_requests[at_party_1] = {};
  (void)restart(now);
  EXPECT_EQ(service->opening.number, opening.number + 1);
  EXPECT_EQ(party(1).book().snapshots().size(), 2u) << "one of the recovery";
  EXPECT_EQ(actor().book().epoch().dropped, 2u) << "once";
  expect_told_stays_told();
  expect_sound(10);
}

TEST_F(LiveRecovery, ALostActorKnowsWhatThePartiesKnow) {
  begin();
  decide(1, 2);
  const auto model = learn();
  decide(3, 2);
  const Disk old_actor = disks[at_actor];
  lose_actor();
  (void)restart(now);
  EXPECT_EQ(actor().book().last().decided, 4u);
  EXPECT_EQ(actor().book().last().learned, 2u);
  EXPECT_EQ(party().pending(), 0u);
  EXPECT_EQ(party().book().epoch().dropped, 2u);
  EXPECT_EQ(party(0).model(), model) << "what was learned stays";
  for (unsigned event = 1; event <= 4; ++event) {
    EXPECT_EQ(actor().ask(live_request(event), now).status, AskStatus::already_decided);
    EXPECT_EQ(actor().find(live_event(event))->status, AskStatus::already_decided);
    EXPECT_EQ(actor().view(live_event(event))->state, "lost");
    EXPECT_EQ(actor().activate(std::vector{live_event(event)}), std::vector{ActivateStatus::late});
  }
  expect_sound(10);
  recovery_requests = {};
  disks[at_actor] = old_actor;
  EXPECT_THAT(refusal(), HasSubstr("the store of actor is an old copy"));
}

TEST_F(LiveRecovery, WhatWasAskedMeanwhileIsAnswered) {
  begin();
  decide(1, 1);
  lose_actor();
  make();
  ask(1, 2, now);
  (void)service->open(now);
  EXPECT_EQ(actor().find(live_event(1))->status, AskStatus::already_decided);
  EXPECT_EQ(actor().queued(), 1u);
  while (actor().queued() > 0) (void)service->run(now);
  EXPECT_EQ(actor().find(live_event(2))->status, AskStatus::answered);
}

TEST_F(LiveRecovery, ALostRewarderTakesRewardsOfWhatIsPending) {
  begin();
  decide(1, 2);
  (void)learn();
  decide(3, 2);
  EXPECT_EQ(post(3, 1, now), RewardStatus::used);
  lose_rewarder();
  (void)restart(now);
  EXPECT_EQ(actor().pending(), 2u);
  EXPECT_EQ(rewarder().pending(), 2u);
  EXPECT_EQ(post(1, 1, now), RewardStatus::late);
  EXPECT_EQ(post(4, 1, now), RewardStatus::used);
  (void)learn();
  EXPECT_EQ(rewards, (std::vector<LearnedReward>{{0, true}, {1, true}})) << "of 3 it is lost";
  expect_told_stays_told();
  expect_sound(10);
}

TEST_F(LiveRecovery, BothStoresOfAShopAreLost) {
  begin();
  decide(1, 2);
  (void)learn();
  decide(3, 1);
  lose_actor();
  lose_rewarder();
  (void)restart(now);
  EXPECT_EQ(actor().ask(live_request(3), now).status, AskStatus::already_decided);
  EXPECT_EQ(post(3, 1, now), RewardStatus::late);
  expect_sound(10);
}

TEST_F(LiveRecovery, AllOthersAcceptThatAStoreIsLost) {
  begin();
  decide(1, 2);
  lose_actor();
  recovery_requests[at_rewarder] = {};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("rewarder has no flag"), HasSubstr("--accept-rebuild actor")));
  lose_actor();
  recovery_requests[at_party_1] = {};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("party 1 has no flag"), HasSubstr("--accept-rebuild actor")));
  lose_actor();
  recovery_requests[at_actor] = {};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("store of actor"), HasSubstr("recover from a lost one")));
}

TEST_F(LiveRecovery, NothingIsMadeUpForWhereNothingIsLost) {
  recovery_requests[at_actor].rebuild = true;
  recovery_requests[at_rewarder].rebuild = true;
  begin();
  EXPECT_FALSE(service->opening.recovery);
  decide(1, 2);
  for (RecoveryRequest& recovery_request : recovery_requests)
    recovery_request.accept_actor = recovery_request.accept_rewarder = true;
  (void)restart(now);
  EXPECT_FALSE(service->opening.recovery);
  expect_told_stays_told();
}

TEST_F(LiveRecovery, WhatWasNotToldIsUndone) {
  begin();
  decide(1, 1);
  ask(2, 1, now);
  ASSERT_TRUE(service->propose(now));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, now);
  lose_rewarder();
  (void)restart(now);
  decide(2, 1);
  EXPECT_EQ(actor().find(live_event(2))->answer->number, last());
}

TEST_F(LiveRecovery, FramesOfARecoveryThatIsNoneAreRefused) {
  begin();
  decide(1, 1);
  const KnownFrame known = party().known(4).front();
  EXPECT_THAT(error_of<ProtocolError>([&] {
                actor().adopt(known);
                return 0;
              }),
              HasSubstr("not lost"));
  EXPECT_THAT(error_of<ProtocolError>([&] {
                rewarder().adopt(known);
                return 0;
              }),
              HasSubstr("not lost"));
  LiveOpening opening = service->opening;
  OrderEntry entry;
  entry.number = last() + 1;
  entry.shape = {EntryKind::recovery, 0};
  entry.recovery.snapshot = entry.recovery.actor = entry.recovery.rewarder = true;
  entry.recovery.kept = last();
  opening = {opening.epoch + 1, entry.number, recovery_id(entry, opening.epoch + 1), entry};
  const auto refused = [&](auto open) {
    return error_of<DisagreementError>([&] {
      open();
      return 0;
    });
  };
  EXPECT_THAT(refused([&] { party().open(opening, {}); }), HasSubstr("has no flag for"));
  EXPECT_THAT(refused([&] { actor().open(opening, {}, {}, now); }), HasSubstr("has no flag for"));
  EXPECT_THAT(refused([&] { rewarder().open(opening, {}, nullptr, now); }), HasSubstr("has no flag for"));
}

TEST_F(LiveRecovery, WhatIsKnownComesInFramesOfABoundedSize) {
  begin();
  for (unsigned i = 0; i < 70; ++i) decide(1 + i, 1);
  const auto frames = party().known(4);
  std::size_t batches = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_LE(frames[i].batches.size(), 4u);
    EXPECT_EQ(frames[i].last, i + 1 == frames.size());
    batches += frames[i].batches.size();
  }
  EXPECT_EQ(batches, 70u);
  EXPECT_EQ(party().known(1000).front().batches.size(), most_known);
  EXPECT_LE(party().known(1000).size(), 2u);
}

}  // namespace
}  // namespace sotto::apps::live
