// What a dealer sends for a step and for a batch: no request may grow by more than 3%, nor shrink unnoticed.
#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/model/program/planned_costs.h"
#include "apps/bandit/run/local/local.h"
#include "tests/framework.h"

namespace sotto::apps::bandit {
namespace {

// Bytes to the last party, of the usual run of two parties with 20 features and 10 arms.
double dealt_bytes(std::size_t batch, std::uint64_t steps) {
  BanditParameters parameters{.columns = {10, 10}, .arms = 10, .steps = steps};
  parameters.exploration.threshold = std::uint64_t{1} << 60;
  parameters.batch = batch;
  return static_cast<double>(plan_costs(plan_bandit(parameters)).total().dealt);
}

void expect_within_3_percent(double bytes, double pinned) {
  EXPECT_LE(bytes, 1.03 * pinned);
  EXPECT_GE(bytes, 0.97 * pinned) << "less is dealt: pin it";
}

// Step 1,000 and those about it, where no table is of a first step.
TEST(DealtBytes, OfAStepArePinned) {
  expect_within_3_percent((dealt_bytes(1, 1000) - dealt_bytes(1, 500)) / 500, 53'035);
}

TEST(DealtBytes, OfABatchOf256ArePinned) {
  expect_within_3_percent((dealt_bytes(256, 8 * 256) - dealt_bytes(256, 4 * 256)) / 4, 3'513'400);
}

}  // namespace
}  // namespace sotto::apps::bandit
