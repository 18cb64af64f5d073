// The cap on the dealer's chunks is that of the whole run, found without planning the whole run. The norms of joint
// rows are checked by who sees them, those of announced bounds for who does not.
#include "sotto/apps/bandit/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/apps/bandit/step_frames.h"
#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

TEST(LargestChunk, IsThatOfTheWholeRun) {
  for (const std::size_t arms : {1u, 2u, 10u, 40u, 100u}) {
    for (const bool reveal : {false, true}) {
      BanditPlan plan = even_plan(3, 6, arms, 30);
      plan.parameters.reveal_model = reveal;
      for (const BanditSchedule schedule : {BanditSchedule{0, 0}, BanditSchedule{0, 7}, BanditSchedule{14, 7},
                                            BanditSchedule{29, 7}, BanditSchedule{30, 7}}) {
        EXPECT_EQ(largest_chunk(plan, schedule), plan_costs(plan, schedule).largest_chunk())
            << arms << " arms, from step " << schedule.from_step;
      }
    }
  }
}

TEST(LargestChunk, TakesNoLongerForALongRun) {
  const BanditPlan plan = even_plan(2, 4, 3, std::uint64_t{1} << 18);
  BanditPlan few = plan;
  few.parameters.steps = 10;
  EXPECT_EQ(largest_chunk(plan, {}), largest_chunk(few, {}));
}

using ::testing::HasSubstr;

BanditOptions options_of(const TestFolder& folder, const std::string& a, const std::string& b) {
  BanditOptions options;
  options.parties = {folder.put("a.csv", a), folder.put("b.csv", b)};
  options.environment = folder.put("labels.csv", "label\n0\n1\n");
  options.run.max_norm = 1;
  return options;
}

TEST(LocalInputs, KnowThatJointRowsKeepToMaxNorm) {
  const TestFolder folder;
  // Each party has a row of norm 1, but not the same.
  BanditOptions options = options_of(folder, "x\n1\n0\n", "y\n0\n1.0000000082\n");
  const LocalInputs inputs = read_local_inputs(options);
  EXPECT_EQ(inputs.blocks[1].bound, 1);
  EXPECT_TRUE(local_run_config(options, inputs, 0).joint_norm_holds);
  const std::string refusal = message_of<InputError>(folder, [&] { (void)read_local_inputs(options, true); });
  EXPECT_THAT(refusal, HasSubstr("1 at party 0, 1 at party 1: together up to 1.41421"));
  EXPECT_THAT(refusal, HasSubstr("--joint-norm-holds"));
  options.run.joint_norm_holds = true;
  EXPECT_NO_THROW((void)read_local_inputs(options, true));
}

TEST(LocalInputs, AreRefusedWhereJointRowsDoNotKeepToMaxNorm) {
  const TestFolder folder;
  BanditOptions options = options_of(folder, "x\n1\n1\n", "y\n1\n1\n");
  options.run.joint_norm_holds = true;
  for (const bool apart : {false, true}) {
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_local_inputs(options, apart); }),
                HasSubstr("together is above 1"));
  }
}

TEST(LocalInputs, OfPartiesThatPreparedApartNeedNoWord) {
  const TestFolder folder;
  const BanditOptions options = options_of(folder, "x\n0.70710679\n-0.7071\n", "y\n0.70710679\n0.7071\n");
  const LocalInputs inputs = read_local_inputs(options, true);
  for (const Block& block : inputs.blocks) EXPECT_EQ(block.bound, 1 / std::sqrt(2.0));
}

}  // namespace
}  // namespace sotto::apps
