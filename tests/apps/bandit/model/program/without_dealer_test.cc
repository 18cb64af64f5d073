// The bandit of three parties without a dealer, and of two with a helper: it plays as with one, in as many rounds and
// bytes; material is made in stretches.
#include "apps/bandit/model/stretches.h"
#include "tests/apps/bandit/model/worlds.h"

namespace sotto::apps::bandit {
namespace {

using namespace testing;

class BanditWithoutDealer : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  // Of so many parties as the mode has.
  [[nodiscard]] static BanditParameters parameters(const BanditWorld& world, std::size_t columns, std::size_t steps) {
    const std::size_t parties = GetParam() == RandomnessBy::helper ? 2 : 3;
    std::vector<std::size_t> of_each(parties, columns / parties);
    of_each.front() += columns % parties;
    return parameters_for(world, std::move(of_each), steps);
  }
  [[nodiscard]] static Outcome play_without_dealer(const BanditWorld& world, BanditParameters parameters) {
    parameters.preprocessing = GetParam();
    return play(world, std::move(parameters));
  }
};
INSTANTIATE_TEST_SUITE_P(By, BanditWithoutDealer, ::testing::Values(RandomnessBy::replicated, RandomnessBy::helper),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

TEST_P(BanditWithoutDealer, LearnsWhatItsTwinLearns) {
  for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) {
    for (const bool rewarder : {false, true}) {
      const BanditWorld world = make_world(300, 8, 4, !rewarder, 1, 1);
      BanditParameters p = parameters(world, 8, 300);
      p.update = update;
      p.exploration.threshold = std::uint64_t{1} << 61;
      p.separate_rewarder = rewarder;
      const Outcome outcome = play_without_dealer(world, p);
      expect_like_twin(world, outcome, 3e-3, 1e-3);
      expect_measured_as_planned(outcome);
      expect_same_program_costs(outcome, play(world, p));
    }
  }
}

TEST_P(BanditWithoutDealer, PullsTheArmThatItsTwinWouldPull) {
  const BanditWorld world = make_world(200, 6, 3, false, 1, 3);
  const Outcome outcome = play_without_dealer(world, parameters(world, 6, 200));
  EXPECT_EQ(outcome.record.arms.size(), 200u);
  EXPECT_EQ(pulls_unlike_twin(world, outcome, 2e-4), 0u);
}

// A stretch is at most 90 steps here: material is made three times, and the model goes from one to the next.
TEST_P(BanditWithoutDealer, LearnsOverStretches) {
  const BanditWorld world = make_world(200, 20, 10, true, 1, 5);
  BanditParameters p = parameters(world, 20, 200);
  p.exploration.threshold = std::uint64_t{1} << 61;
  const Outcome outcome = play_without_dealer(world, p);
  expect_like_twin(world, outcome, 3e-3, 1e-3);
  expect_measured_as_planned(outcome);
  std::uint64_t stretches = 1;
  Stretches marks(outcome.plan.parameters);
  for (std::uint64_t step = 0; step < 200; ++step) stretches += marks.begins_with_step() ? 1 : 0;
  EXPECT_EQ(stretches, 3u);
  // The rounds of the keys and of the last confirmation, and those of each stretch alike: it has the kinds of requests
  // of a step.
  const std::uint64_t preprocessing = outcome.run.ledger.of("preprocessing").rounds;
  EXPECT_EQ((preprocessing - 2) % stretches, 0u);
  EXPECT_LT(preprocessing, 300u);
}

TEST_P(BanditWithoutDealer, LearnsInBatches) {
  const BanditWorld world = make_world(400, 6, 3, true, 1, 6);
  BanditParameters p = parameters(world, 6, 400);
  p.batch = 50;
  p.exploration.threshold = std::uint64_t{1} << 61;
  const Outcome outcome = play_without_dealer(world, p);
  const Outcome dealt = play(world, p);
  expect_measured_as_planned(outcome);
  expect_same_program_costs(outcome, dealt);
  expect_like_twin(world, outcome, 3e-3, 2e-2);
  expect_like_twin(world, dealt, 3e-3, 2e-2);
}

// How often each arm is pulled where all of them are alike to the model, or where always one is drawn.
TEST_P(BanditWithoutDealer, ExploresUniformlyStatistical) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{80}}) {
    const BanditWorld world = make_world(400, 3, 4, true, 1, 7);
    BanditParameters p = parameters(world, 3, 400);
    p.batch = batch;
    p.exploration.always = true;
    const Outcome outcome = play_without_dealer(world, p);
    std::vector<double> counts(4, 0);
    for (const std::size_t arm : outcome.record.arms) ++counts[arm];
    for (const double count : counts) EXPECT_NEAR(count, 100, 69);  // within 8 standard deviations
  }
}

}  // namespace
}  // namespace sotto::apps::bandit
