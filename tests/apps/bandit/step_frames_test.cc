// The frames that the floor replays are those of the plan, link by link.
#include "sotto/apps/bandit/step_frames.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/wire/frame.h"

namespace sotto::apps {
namespace {

TEST(StepFrames, SumToThePlan) {
  for (const std::size_t parties : {2u, 3u, 5u, 8u}) {
    for (const std::size_t arms : {1u, 10u, 40u}) {
      const BanditPlan plan = even_plan(parties, 20, arms, 1000);
      const StepFrames frames = step_frames(plan);
      const Ledger ledger = plan_costs(plan);
      ASSERT_EQ(ledger.phases().front().name, step_phase);
      const std::vector<sotto::RoundCost>& planned = ledger.phases().front().rounds;
      ASSERT_EQ(frames.rounds.size(), planned.size());
      EXPECT_EQ(frames.parties, parties);
      EXPECT_EQ(frames.nodes, parties + 1);
      for (std::size_t round = 0; round < planned.size(); ++round) {
        for (std::size_t node = 0; node < frames.nodes; ++node) {
          EXPECT_EQ(frames.sent(round, node), planned[round].cost.sent[node])
              << parties << " parties, " << arms << " arms, round " << round << ", node " << node;
        }
      }
      std::uint64_t largest = 0;
      for (std::size_t party = 0; party < parties; ++party) {
        largest = std::max(largest, frames.sent(party));
      }
      EXPECT_EQ(frames.sent_by_largest_party(), largest);
    }
  }
}

TEST(StepFrames, FlowBetweenNodesThatTalk) {
  const StepFrames frames = step_frames(even_plan(3, 20, 10, 100));
  ASSERT_EQ(frames.rounds.size(), 7u);
  for (std::size_t round = 0; round < 7; ++round) {
    for (std::size_t from = 0; from < 4; ++from) {
      EXPECT_EQ(frames.bytes(round, from, from), 0u);
      for (std::size_t to = 0; to < 4; ++to) {
        const std::size_t bytes = frames.bytes(round, from, to);
        EXPECT_TRUE(bytes == 0 || bytes > FrameHeader::size);
        // The arm goes to the actor in round 5, the reward comes from it in round 6.
        const bool arm = round == 4 && from < 3;
        const bool reward = round == 5 && to < 3;
        if (from == 3) {
          EXPECT_EQ(bytes > 0, reward);
        } else if (to == 3) {
          EXPECT_EQ(bytes > 0, arm);
        }
      }
    }
  }
}

TEST(StepFrames, SplitColumnsEvenly) {
  EXPECT_EQ(even_columns(3, 20), (std::vector<std::size_t>{7, 7, 6}));
  EXPECT_EQ(even_columns(2, 2), (std::vector<std::size_t>{1, 1}));
  EXPECT_THROW((void)even_columns(3, 2), InputError);
  EXPECT_THROW((void)even_columns(1, 20), InputError);
  EXPECT_THROW((void)even_columns(9, 20), InputError);
}

}  // namespace
}  // namespace sotto::apps
