// The cap on the dealer's chunks is that of the whole run, found without planning the whole run.
#include "apps/bandit/local_run.h"

#include <gtest/gtest.h>

#include "apps/measure/step_frames.h"

namespace sotto::apps {
namespace {

TEST(LargestChunk, IsThatOfTheWholeRun) {
  for (const std::size_t arms : {1u, 2u, 10u, 40u, 100u}) {
    for (const bool reveal : {false, true}) {
      BanditPlan plan = even_plan(3, 6, arms, 30);
      plan.parameters.reveal_model = reveal;
      for (const BanditCourse course : {BanditCourse{0, 0}, BanditCourse{0, 7}, BanditCourse{14, 7},
                                        BanditCourse{29, 7}, BanditCourse{30, 7}}) {
        EXPECT_EQ(largest_chunk(plan, course), plan_costs(plan, course).largest_chunk())
            << arms << " arms, from step " << course.from_step;
      }
    }
  }
}

TEST(LargestChunk, TakesNoLongerForALongRun) {
  const BanditPlan plan = even_plan(2, 4, 3, std::uint64_t{1} << 22);
  BanditPlan few = plan;
  few.parameters.steps = 10;
  EXPECT_EQ(largest_chunk(plan, {}), largest_chunk(few, {}));
}

}  // namespace
}  // namespace sotto::apps
