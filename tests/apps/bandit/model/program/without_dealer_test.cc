#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"
#include "tests/apps/bandit/model/worlds.h"

namespace sotto::apps::bandit {
namespace {

using namespace testing;

class BanditWithoutDealer : public ::testing::TestWithParam<RandomnessBy> {
 protected:
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
  // The parties make the randomness in three parts (stretches), and every stretch takes the same number of rounds. In
  // addition there is one round for the keys and one round for the last confirmation.
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

Outcome play_by_transfers(const BanditWorld& world, BanditParameters parameters) {
  parameters.preprocessing = RandomnessBy::ot;
  return play(world, std::move(parameters));
}

TEST(BanditByTransfers, LearnsWhatItsTwinLearns) {
  for (const bool rewarder : {false, true}) {
    const BanditWorld world = make_world(40, 6, 3, !rewarder, 1, 1);
    BanditParameters p = parameters_for(world, {3, 3}, 40);
    p.exploration.threshold = std::uint64_t{1} << 61;
    p.separate_rewarder = rewarder;
    const Outcome outcome = play_by_transfers(world, p);
    expect_like_twin(world, outcome, 3e-3, 1e-3);
    expect_measured_as_planned(outcome);
    expect_same_program_costs(outcome, play(world, p));
  }
}

TEST(BanditByTransfers, SelectsThePulledArmByBits) {
  for (const bool rewarder : {false, true}) {
    const BanditWorld world = make_world(300, 4, 3, !rewarder, 1, 2);
    BanditParameters p = parameters_for(world, {1, 3}, 300);
    p.update = StepUpdate::pulled_arm;
    p.exploration.threshold = std::uint64_t{1} << 61;
    p.separate_rewarder = rewarder;
    const Outcome outcome = play_by_transfers(world, p);
    expect_like_twin(world, outcome, 3e-3, 1e-3);
    expect_measured_as_planned(outcome);
    EXPECT_EQ(outcome.run.dealt, 0u);
    const Outcome dealt = play(world, p);
    EXPECT_EQ(outcome.run.ledger.of(step_phase).rounds, dealt.run.ledger.of(step_phase).rounds);
    EXPECT_EQ(outcome.run.ledger.of(refresh_phase).rounds, 6u);
  }
}

TEST(BanditByTransfers, SelectingFirstSendsASixth) {
  const auto made_ahead = [](StepUpdate update, std::uint64_t steps) {
    BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = steps, .preprocessing = RandomnessBy::ot};
    p.update = update;
    const BanditPlan plan = plan_bandit(p);
    return plan_costs(plan).of(preprocessing_phase).sent[0];
  };
  const auto a_step = [&](StepUpdate update) { return (made_ahead(update, 200) - made_ahead(update, 100)) / 100; };
  const std::uint64_t all = a_step(StepUpdate::all_arms);
  const std::uint64_t one = a_step(StepUpdate::pulled_arm);
  EXPECT_LT(6 * one, all) << one << " of " << all;
  EXPECT_LT(one, 500'000u);
}

TEST(BanditByTransfers, PullsTheArmThatItsTwinWouldPull) {
  const BanditWorld world = make_world(60, 4, 3, false, 1, 3);
  const Outcome outcome = play_by_transfers(world, parameters_for(world, {2, 2}, 60));
  EXPECT_EQ(outcome.record.arms.size(), 60u);
  EXPECT_EQ(pulls_unlike_twin(world, outcome, 2e-4), 0u);
}

void expect_lessons_by_bits(const Outcome& outcome, const Outcome& dealt, std::size_t batch) {
  const BanditParameters& p = outcome.plan.parameters;
  const std::size_t d = p.features();
  const auto learn_sent = [](const Outcome& of) { return of.run.ledger.of(learn_phase).sent; };
  auto expected = learn_sent(dealt);
  for (const NodeId party : {0, 1}) expected[party] += 8 * p.steps * (triangle(d) + d - p.arms * d);
  const std::size_t lanes = batch * p.arms;
  expected[actor_of(dealt.plan.parameters.topology())] -= p.steps / batch * 2 * 8 * (lanes - (lanes + 63) / 64);
  EXPECT_EQ(outcome.run.ledger.of(learn_phase).rounds, dealt.run.ledger.of(learn_phase).rounds);
  const auto sent = learn_sent(outcome);
  for (const NodeId party : {0, 1}) EXPECT_EQ(sent[party], expected[party]);
  EXPECT_EQ(sent[actor_of(p.topology())], expected[actor_of(dealt.plan.parameters.topology())]);
  EXPECT_EQ(outcome.run.ledger.of(decide_phase).rounds, dealt.run.ledger.of(decide_phase).rounds);
  EXPECT_EQ(outcome.run.ledger.of(decide_phase).sent, dealt.run.ledger.of(decide_phase).sent);
  EXPECT_EQ(outcome.run.dealt, 0u);
}

TEST(BanditByTransfers, LearnsInBatches) {
  const BanditWorld world = make_world(200, 4, 3, true, 1, 6);
  BanditParameters p = parameters_for(world, {2, 2}, 200);
  p.batch = 50;
  p.exploration.threshold = std::uint64_t{1} << 61;
  const Outcome outcome = play_by_transfers(world, p);
  const Outcome dealt = play(world, p);
  expect_measured_as_planned(outcome);
  expect_lessons_by_bits(outcome, dealt, p.batch);
  expect_like_twin(world, outcome, 3e-3, 2e-2);
  expect_like_twin(world, dealt, 3e-3, 2e-2);
}

TEST(BanditByTransfers, ALessonOfManyProductsHasAStretchOfItsOwn) {
  BanditParameters p{.columns = {10, 10}, .arms = 10, .batch = 10, .preprocessing = RandomnessBy::ot};
  Stretches of_two(p);
  EXPECT_FALSE(of_two.begins_with_training());
  EXPECT_TRUE(of_two.begins_with_training());
  p.columns = {7, 7, 6};
  p.preprocessing = RandomnessBy::replicated;
  Stretches of_three(p);
  EXPECT_FALSE(of_three.begins_with_training());
  EXPECT_FALSE(of_three.begins_with_training());
}

TEST(BanditByTransfers, ExploresUniformlyStatistical) {
  const BanditWorld world = make_world(400, 2, 4, true, 1, 7);
  BanditParameters p = parameters_for(world, {1, 1}, 400);
  p.batch = 80;
  p.exploration.always = true;
  const Outcome outcome = play_by_transfers(world, p);
  std::vector<double> counts(4, 0);
  for (const std::size_t arm : outcome.record.arms) ++counts[arm];
  for (const double count : counts) EXPECT_NEAR(count, 100, 69);  // within 8 standard deviations
}

}  // namespace
}  // namespace sotto::apps::bandit
