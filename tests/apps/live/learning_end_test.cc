// What a service that has learned as many events as it can says of it, and of what is not learned at all.
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class LearningEnd : public InService {
 protected:
  ActivateStatus activate(unsigned event) {
    const std::vector<EventId> events{live_event(event)};
    return actor().activate(events).front();
  }
  void ask_inactive(unsigned event) {
    DecisionRequest request = live_request(event);
    request.activate = false;
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  }
};

// Three of four fit; the batch after them has two events, and so has what comes later no place either.
TEST_F(LearningEnd, WhatDoesNotFitIsNotLearned) {
  settings.most_learned = 4;
  begin();
  for (const unsigned first : {1U, 4U, 6U}) {
    for (unsigned event = first; event < first + (first == 1 ? 3 : first == 4 ? 2 : 1); ++event) ask_inactive(event);
    (void)service->run(start);
  }
  EXPECT_FALSE(actor().book().learning_has_ended());
  for (const unsigned event : {4U, 5U, 6U}) {
    EXPECT_EQ(post(event, 1, start), RewardStatus::not_learned) << event;
    EXPECT_EQ(activate(event), ActivateStatus::not_learned) << event;
  }
  EXPECT_EQ(post(1, 1, start), RewardStatus::used);
  EXPECT_EQ(activate(1), ActivateStatus::active);
  (void)service->run(start + settings.reward_wait);
  for (const OrderBook* book : {&actor().book(), &party().book(), &rewarder().book()}) {
    EXPECT_TRUE(book->learning_has_ended());
  }
  EXPECT_EQ(post(2, 1, start), RewardStatus::late);
  EXPECT_EQ(activate(2), ActivateStatus::late);
  EXPECT_EQ(post(4, 1, start), RewardStatus::not_learned);
  (void)restart(start + settings.reward_wait);
  EXPECT_TRUE(rewarder().book().learning_has_ended());
  EXPECT_EQ(post(4, 1, start), RewardStatus::not_learned);
  EXPECT_EQ(post(2, 1, start), RewardStatus::late);
}

// Of a learn whose number is done and may be rolled back, too.
TEST_F(LearningEnd, WhatIsJustLearnedTakesItsRoomOnce) {
  settings.most_learned = 3;
  begin();
  ask(1, 2, start);
  (void)service->run(start);
  ask(3, 1, start + 5000);
  (void)service->run(start + 5000);
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(rewarder().book().last().learned, 2u);
  EXPECT_EQ(rewarder().pending(), 3u) << "until a later number is done";
  EXPECT_EQ(post(3, 1, start), RewardStatus::used);
  EXPECT_FALSE(rewarder().book().learning_has_ended());
  EXPECT_TRUE(rewarder().view(live_event(1))->learned);
}

TEST_F(LearningEnd, WhatIsDecidedFrozenIsNotLearned) {
  settings.mode = LiveMode::frozen;
  begin();
  ask_inactive(1);
  (void)service->run(start);
  EXPECT_EQ(post(1, 1, start), RewardStatus::not_learned);
  EXPECT_EQ(activate(1), ActivateStatus::not_learned);
  EXPECT_FALSE(rewarder().view(live_event(1))->learned);
  EXPECT_FALSE(actor().view(live_event(1))->learned);
  EXPECT_FALSE(party().view(live_event(1))->learned);
  EXPECT_FALSE(actor().book().learning_has_ended());
}

}  // namespace
}  // namespace sotto::apps::live
