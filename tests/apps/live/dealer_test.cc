// Programs at the dealer.
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class LiveDealerTest : public InService {};

TEST_F(LiveDealerTest, DealsWhatIsPlannedInOrder) {
  begin();
  LiveDealer& dealer = *service->dealer;
  EXPECT_FALSE(dealer.next());
  dealer.plan(PlanFrame{1, 0, {{EntryKind::decide, 4}, {EntryKind::learn, 4}}});
  dealer.plan(PlanFrame{3, 2, {{EntryKind::decide, 1}}});
  EXPECT_EQ(dealer.next(), (DealtProgram{1, {EntryKind::decide, 4}}));
  dealer.skip(SkipFrame{2});
  EXPECT_EQ(dealer.next(), (DealtProgram{2, {EntryKind::learn, 4}})) << "it is thrown away by who gets it";
  EXPECT_THROW(dealer.skip(SkipFrame{2}), ProtocolError);
  EXPECT_THROW(dealer.skip(SkipFrame{4}), ProtocolError);
  EXPECT_THROW(dealer.plan(PlanFrame{5, 2, {{EntryKind::decide, 1}}}), ProtocolError);
  EXPECT_THROW(dealer.plan(PlanFrame{4, 1, {{EntryKind::decide, 1}}}), ProtocolError) << "settled goes back";
  dealer.leave_epoch();
  EXPECT_FALSE(dealer.next());
}

// All other roles come back with copies of the same time.
TEST_F(LiveDealerTest, ACommonRollbackIsRefusedUntilItIsAccepted) {
  begin();
  const std::array<Disk, 5> copies = disks;
  for (unsigned i = 0; i < 3; ++i) {
    ask(10 + i, 1, start);
    (void)service->run(start);
  }
  for (std::size_t i = 0; i < 4; ++i) disks[i] = copies[i];
  EXPECT_THAT(error_of<DisagreementError>([&] { return restart(start); }),
              AllOf(HasSubstr("the dealer was told of number 2"), HasSubstr("the parties have number 0 in common")));
  service = std::make_unique<FiveRoles>(five(), settings, peers);
  service->dealer = std::make_unique<LiveDealer>(rows[4], true);
  (void)service->open(start);
  EXPECT_EQ(service->opening.number, 0u);
  EXPECT_EQ(service->dealer->standing().settled, 0u);
}

TEST_F(LiveDealerTest, OpensNoEpochTwice) {
  begin();
  EXPECT_THROW(service->dealer->open(LiveOpening{1, 0, {}}, {}), DisagreementError);
}

}  // namespace
}  // namespace sotto::apps::live
