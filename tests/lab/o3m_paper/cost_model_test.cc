#include "sotto/bench/lab/o3m_paper/cost_model.h"

#include <gtest/gtest.h>

#include "sotto/bench/lab/o3m_paper/measured_costs.h"
#include "sotto/bench/lab/o3m_paper/reference.h"

namespace sotto::apps {
namespace {

// By hand: T = 1, K = 2, d = 3, M = 4.
TEST(CostModel, CountsAsThePaperDoes) {
  const CostSetting setting{1, 2, 3, 4};
  // selection K d + d^3 + K d^2 + K = 6 + 27 + 18 + 2, update 2 d^2 + d = 21
  EXPECT_DOUBLE_EQ(central_operations(LinearAlgorithm::ucb, setting), 74);
  // sampling d^2 + d^3 + K d + K = 9 + 27 + 6 + 2, update 2 d + d^3 + d^2 = 42
  EXPECT_DOUBLE_EQ(central_operations(LinearAlgorithm::ts, setting), 86);
  // the mask d^2 + d^3 = 36, masking K d^2 + K M d = 42
  EXPECT_DOUBLE_EQ(masked_operations(LinearAlgorithm::ucb, setting), 74 + 78);
  EXPECT_DOUBLE_EQ(masked_operations(LinearAlgorithm::ts, setting), 86 + 78);
  EXPECT_DOUBLE_EQ(relative_cost(LinearAlgorithm::ucb, setting), 152. / 74);
  EXPECT_DOUBLE_EQ(model_step_bytes(setting), 8 * 24);
  EXPECT_DOUBLE_EQ(model_bytes(setting), 8 * (9 + 24));
}

TEST(CostModel, SaysOfFigure5WhatThePaperSays) {
  for (const Check& check : check_cost_model()) {
    EXPECT_TRUE(check.passed) << check.quantity << ": " << check.ours;
  }
}

// Everybody but the active participant sends it K d numbers a step; the mask's blocks and 16 bytes of each
// pair's seed come on top, and little for frames.
TEST(CostModel, PlansWhatTheRolesSend) {
  const CostSetting setting{5000, 10, 100, 5};
  const double contexts = 5000. * 4 * 10 * 100 * 8;
  const double blocks = 100. * 100 * 8;
  EXPECT_GE(planned_bytes(setting), contexts + blocks);
  EXPECT_LT(planned_bytes(setting), 1.001 * (contexts + blocks));
  EXPECT_LT(planned_bytes(setting), model_bytes(setting));
}

TEST(MeasuredCosts, AreRelativeToTheBanditAlone) {
  const MeasuredCost cost{{}, LinearAlgorithm::ucb, 2, 6, 1};
  EXPECT_DOUBLE_EQ(cost.relative(), 4);
  EXPECT_DOUBLE_EQ(cost.relative_at_active(), 1.5);
}

TEST(MeasuredCosts, AreTimesOfBoth) {
  const std::atomic<bool> not_interrupted{false};
  for (const LinearAlgorithm algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    const MeasuredCost cost = measure_cost(algorithm, {10, 5, 12, 5}, 0, not_interrupted);
    EXPECT_GT(cost.play_seconds, 0);
    EXPECT_GT(cost.mask_seconds, 0);
    EXPECT_GT(cost.own_seconds, 0);
  }
}

}  // namespace
}  // namespace sotto::apps
