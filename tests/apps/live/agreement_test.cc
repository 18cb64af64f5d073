// Mode apprentice reveals no arm. A full window reveals one sum with noise, once, whichever roles die.
#include "tests/apps/live/service.h"

namespace sotto::apps::live::testing {
namespace {

class Apprentice : public InService {
 protected:
  Apprentice() {
    settings.mode = LiveMode::apprentice;
    settings.agreement_window = 4;
    settings.agreement_epsilon = .5;
  }
  void decide(unsigned first, unsigned count) {
    ask_with_own_arms(first, count);
    EXPECT_EQ(service->run(start).size(), count);
  }
  void ask_with_own_arms(unsigned first, unsigned count) {
    for (unsigned i = first; i < first + count; ++i) {
      DecisionRequest request = live_request(i);
      request.own_arm = static_cast<std::uint16_t>(i % 3);
      EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    }
  }
  const Agreement& at_actor() { return actor().book().last().agreement; }
  void lose_rewarder() {
    disks[3] = Disk{};
    recovery_requests[3].rebuild = true;
    for (const std::size_t other : {0, 1, 2}) recovery_requests.at(other).accept_rewarder = true;
  }
};

TEST_F(Apprentice, AFullWindowIsShownByTheNextBatch) {
  begin();
  decide(1, 3);
  EXPECT_EQ(at_actor().events, 3u);
  decide(4, 2);
  EXPECT_TRUE(at_actor().is_full);
  EXPECT_EQ(at_actor().opened, 0u);
  EXPECT_EQ(party().book().last().agreement.share + party(1).book().last().agreement.share, 5u + FiveRoles::noise);
  decide(6, 1);
  EXPECT_EQ(at_actor().opened, 1u);
  EXPECT_EQ(at_actor().last, (AgreedEvents{5, 5 + FiveRoles::noise}));
  EXPECT_EQ(at_actor().events, 1u) << "the next window";
  EXPECT_EQ(at_actor().spent, .5);
  decide(7, 4);
  decide(11, 1);
  EXPECT_EQ(at_actor().opened, 2u);
  EXPECT_EQ(at_actor().all, (AgreedEvents{10, 10 + 2 * FiveRoles::noise}));
  EXPECT_EQ(at_actor().spent, 1.);
  for (const Agreement& other : {party().book().last().agreement, rewarder().book().last().agreement}) {
    EXPECT_EQ(other.opened, 2u);
    EXPECT_EQ(other.events, 1u);
    EXPECT_EQ(other.spent, 1.);
  }
  EXPECT_EQ(actor().book().last().decided, 0u) << "no arm was shown";
}

TEST_F(Apprentice, BeforeItIsFullNothingIsShown) {
  begin();
  decide(1, 3);
  ask_with_own_arms(4, 1);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party().shown_share(), 0u);
  EXPECT_EQ(party(1).shown_share(), 0u);
}

TEST_F(Apprentice, ANumberThatIsRolledBackShowsTheSameSum) {
  begin();
  decide(1, 4);
  ask_with_own_arms(5, 1);
  ASSERT_TRUE(service->propose(start));
  const std::uint64_t before = party().shown_share() + party(1).shown_share();
  EXPECT_EQ(before, 4u + FiveRoles::noise);
  (void)service->prepare(0, start);
  (void)restart(start);
  EXPECT_EQ(at_actor().opened, 0u);
  ask_with_own_arms(5, 1);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party().shown_share() + party(1).shown_share(), before);
  (void)service->finish(start);
  EXPECT_EQ(at_actor().last, (AgreedEvents{4, 4 + FiveRoles::noise}));
}

TEST_F(Apprentice, ASumIsRestated) {
  begin();
  decide(1, 4);
  ask_with_own_arms(5, 1);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  (void)restart(start);
  EXPECT_EQ(at_actor().last, (AgreedEvents{4, 4 + FiveRoles::noise}));
  EXPECT_EQ(at_actor().opened, 1u);
}

TEST_F(Apprentice, ASumOfAnotherLengthIsRefused) {
  EXPECT_EQ(answered_by_lanes(std::vector<RestateFrame>{}), 0u);
  RestateFrame frame;
  frame.lanes.assign(7, std::byte{1});
  EXPECT_THROW((void)answered_by_lanes(std::vector<RestateFrame>{frame}), ProtocolError);
  frame.lanes.assign(9, std::byte{1});
  EXPECT_THROW((void)answered_by_lanes(std::vector<RestateFrame>{frame}), ProtocolError);
}

TEST_F(Apprentice, AShorterWindowShowsNothingWithoutNoise) {
  settings.agreement_window = 100;
  begin();
  decide(1, 3);
  settings.agreement_window = 2;
  (void)restart(start);
  decide(4, 1);
  EXPECT_EQ(at_actor().opened, 0u);
  EXPECT_TRUE(at_actor().is_full);
  decide(5, 1);
  EXPECT_EQ(at_actor().last, (AgreedEvents{4, 4 + FiveRoles::noise}));
}

TEST_F(Apprentice, PaddingIsNotCounted) {
  settings.padding = LivePadding::hidden;
  unsigned next = 900;
  peers.padding_event = [&] { return live_event(next++); };
  begin();
  ask_with_own_arms(1, 2);
  (void)service->run(start);
  EXPECT_EQ(at_actor().events, 4u) << "as the parties see it";
  EXPECT_EQ(at_actor().counted, 2u);
}

TEST_F(Apprentice, AWindowGoesOnAfterAnotherMode) {
  begin();
  decide(1, 3);
  actor().change_mode(LiveMode::online);
  ASSERT_TRUE(service->propose(start));
  (void)service->finish(start);
  ask(4, 1, start);
  EXPECT_EQ(service->run(start).at(0).arm, FiveRoles::told_arm);
  EXPECT_EQ(at_actor().events, 3u);
  EXPECT_EQ(actor().book().last().decided, 1u);
  (void)restart(start);
  EXPECT_EQ(actor().mode(), LiveMode::online) << "the order's mode, not that of the config";
  actor().change_mode(LiveMode::apprentice);
  ASSERT_TRUE(service->propose(start));
  (void)service->finish(start);
  decide(5, 1);
  EXPECT_TRUE(at_actor().is_full);
}

// After a recovery, the parties may have shares of one window from different histories, so the parties open no sum of
// that window. Earlier openings and the spent budget stay.
TEST_F(Apprentice, ARecoveryBeginsANewWindow) {
  begin();
  decide(1, 4);
  decide(5, 3);
  EXPECT_EQ(at_actor().opened, 1u);
  EXPECT_EQ(at_actor().events, 3u);
  lose_rewarder();
  (void)restart(start);
  recovery_requests = {};
  ASSERT_TRUE(actor().book().recovered());
  const auto expect_new_window = [&](const Agreement& agreement) {
    EXPECT_EQ(agreement.events, 0u);
    EXPECT_FALSE(agreement.is_full);
    EXPECT_EQ(agreement.share, 0u);
    EXPECT_EQ(agreement.counted, 0u);
  };
  for (const LiveParty* role : {&party(0), &party(1)}) {
    expect_new_window(role->book().last().agreement);
    EXPECT_EQ(role->book().last().agreement.spent, .5);
  }
  expect_new_window(at_actor());
  expect_new_window(rewarder().book().last().agreement);
  EXPECT_EQ(at_actor().last, (AgreedEvents{4, 4 + FiveRoles::noise}));
  EXPECT_EQ(at_actor().opened, 1u);
  decide(8, 4);
  EXPECT_TRUE(at_actor().is_full);
  lose_rewarder();
  (void)restart(start);
  recovery_requests = {};
  expect_new_window(at_actor());
  EXPECT_EQ(at_actor().spent, 1.) << "of the window that was full and is not shown";
  ask_with_own_arms(12, 1);
  ASSERT_TRUE(service->propose(start));
  EXPECT_EQ(party(0).shown_share() + party(1).shown_share(), 0u);
  (void)service->finish(start);
  for (unsigned i = 13; i < 17; ++i) decide(i, 1);
  EXPECT_EQ(at_actor().last, (AgreedEvents{4, 4 + FiveRoles::noise}));
  EXPECT_EQ(at_actor().opened, 2u);
  EXPECT_EQ(at_actor().spent, 1.5);
}

TEST_F(Apprentice, PlansOfTheOtherKindAreSkipped) {
  begin();
  decide(1, 1);
  actor().change_mode(LiveMode::online);
  ASSERT_TRUE(service->propose(start));
  (void)service->finish(start);
  ask(2, 1, start);
  const auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_FALSE(entry->shape.secret);
  (void)service->finish(start);
}

TEST_F(Apprentice, ADecideOfTheOtherKindIsRefused) {
  begin();
  ask_with_own_arms(1, 1);
  OrderEntry entry = *service->propose(start);
  EXPECT_TRUE(entry.shape.secret);
  service->leave_epoch();
  (void)service->open(start);
  entry.shape.secret = false;
  EXPECT_THROW(party().propose(entry, start), ProtocolError);
  EXPECT_THROW(rewarder().propose(entry), ProtocolError);
}

TEST_F(Apprentice, OnlyDecidesAreSecret) {
  begin();
  ask_with_own_arms(1, 1);
  OrderEntry entry = *service->propose(start);
  EXPECT_EQ(decode_entry(encode(entry)), entry);
  OrderEntry other = entry;
  other.shape.secret = false;
  EXPECT_NE(digest_of(other), digest_of(entry));
  OrderEntry change;
  change.shape = ProgramShape{EntryKind::mode, 0, true};
  EXPECT_FALSE(is_valid(change));
  OrderEntry learn;
  learn.number = 2;
  learn.program = 1;
  learn.shape = ProgramShape{EntryKind::learn, 4, true};
  learn.batches = {1};
  EXPECT_FALSE(is_valid(learn));
  learn.shape.secret = false;
  EXPECT_TRUE(is_valid(learn));
}

TEST(AgreementSums, NeverOverflow) {
  const AgreementTerms terms{1, 1};
  Agreement agreement;
  for (int i = 0; i < 4; ++i) {
    Compared compared;
    compared.events = compared.counted = 1;
    compared.shown = std::numeric_limits<std::int64_t>::max();
    agreement = after(agreement, compared, terms);
  }
  EXPECT_EQ(agreement.opened, 3u);
  ByteWriter out;
  write(out, agreement);
  const std::vector<std::byte> bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(read_agreement(in), agreement);
  EXPECT_TRUE(in.at_end());
}

}  // namespace
}  // namespace sotto::apps::live::testing
