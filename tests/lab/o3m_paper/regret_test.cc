#include "sotto/bench/lab/o3m_paper/regret.h"

#include "sotto/bench/lab/o3m_paper/reference.h"
#include "tests/lab/interrupts.h"

namespace sotto::apps {
namespace {

RegretSettings small() {
  RegretSettings settings;
  settings.arms = 4;
  settings.columns = {2, 3, 5};
  settings.steps = 250;
  settings.repeats = 3;
  return settings;
}

TEST(Regret, MaskedBanditsAreTheirCentralTwins) {
  const RegretRuns runs = run_regret(small(), not_interrupted);
  EXPECT_TRUE(runs.arms_equal);
  for (const LinearAlgorithm algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    EXPECT_EQ(runs.of(algorithm, PaperPolicy::masked).regret, runs.of(algorithm, PaperPolicy::central).regret);
    EXPECT_GT(runs.max_score_difference.at(algorithm), 0);
    EXPECT_LT(runs.max_score_difference.at(algorithm), 1e-9);
    EXPECT_LT(at_end(runs.of(algorithm, PaperPolicy::masked).norm_difference).mean, 1e-9);
    EXPECT_GT(at_end(runs.of(algorithm, PaperPolicy::least).norm_difference).mean, 1e-3);
  }
  for (const Check& check : check_lossless(runs)) EXPECT_TRUE(check.passed) << check.quantity;
}

TEST(Regret, GrowsAndIsLessForThoseWhoKnowMore) {
  RegretSettings settings = small();
  settings.steps = 2000;
  const RegretRuns runs = run_regret(settings, not_interrupted);
  EXPECT_EQ(runs.points.size(), 100u);
  EXPECT_EQ(runs.points.back(), 2000u);
  for (const auto& [key, policy] : runs.policies) {
    ASSERT_EQ(policy.regret.size(), 3u);
    for (const std::vector<double>& curve : policy.regret) {
      ASSERT_EQ(curve.size(), runs.points.size());
      EXPECT_GE(curve.front(), 0);
      for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_GE(curve[i], curve[i - 1]);
    }
  }
  const auto end = [&](PaperPolicy policy) { return at_end(runs.of(LinearAlgorithm::ucb, policy).regret).mean; };
  EXPECT_LT(end(PaperPolicy::central), end(PaperPolicy::most));
  EXPECT_LT(end(PaperPolicy::most), end(PaperPolicy::least));
  EXPECT_LT(end(PaperPolicy::least), end(PaperPolicy::uniform));
}

TEST(Regret, DependsOnTheSeedAlone) {
  const RegretRuns once = run_regret(small(), not_interrupted);
  const RegretRuns again = run_regret(small(), not_interrupted);
  RegretSettings one_later = small();
  one_later.seed = 2;
  const RegretRuns later = run_regret(one_later, not_interrupted);
  for (const auto& [key, policy] : once.policies) {
    EXPECT_EQ(policy.regret, again.policies.at(key).regret);
    EXPECT_EQ(policy.regret[1], later.policies.at(key).regret[0]);
    EXPECT_NE(policy.regret[0], later.policies.at(key).regret[0]);
  }
}

TEST(Regret, TakesOneStepOneRepeatAndOneArm) {
  RegretSettings settings = small();
  settings.steps = settings.repeats = settings.arms = 1;
  const RegretRuns runs = run_regret(settings, not_interrupted);
  EXPECT_EQ(runs.points, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(at_end(runs.uniform.regret).mean, 0);
  EXPECT_EQ(at_end(runs.uniform.regret).sd, 0);
  EXPECT_TRUE(check_regret(runs).empty());  // not the setting of the reference
}

TEST(Regret, RefusesNothingToPlayAndStopsWhenAsked) {
  for (const bool steps : {true, false}) {
    RegretSettings settings = small();
    (steps ? settings.steps : settings.repeats) = 0;
    EXPECT_THROW((void)run_regret(settings, not_interrupted), InputError);
  }
  EXPECT_THROW((void)run_regret(small(), interrupted), Interrupted);
}

TEST(Regret, PointsOfACurveAreOverItsRepeats) {
  EXPECT_DOUBLE_EQ(at_point({{1, 2}, {3, 6}}, 1).mean, 4);
  EXPECT_DOUBLE_EQ(at_end({{1, 2}, {3, 6}}).sd, std::sqrt(8));
}

// The paper's setting, whole: each mean within the spread of the reference.
TEST(Regret, IsThatOfTheReferenceStatistical) {
  for (const double noise_sd : {0.05, std::sqrt(0.05)}) {
    RegretSettings settings;
    settings.noise_sd = noise_sd;
    const RegretRuns runs = run_regret(settings, not_interrupted);
    std::size_t compared = 0;
    for (const RegretReference& reference : regret_references()) {
      if (std::abs(reference.noise_variance - noise_sd * noise_sd) > 1e-9) continue;
      const double ours = at_end(runs.of(reference.algorithm, reference.policy).regret).mean;
      EXPECT_NEAR(ours, reference.mean, reference.spread)
          << policy_name(reference.algorithm, reference.policy) << ", noise " << noise_sd;
      ++compared;
    }
    EXPECT_EQ(compared, 9u);
    for (const Check& check : check_regret(runs)) EXPECT_TRUE(check.passed) << check.quantity;
    for (const Check& check : check_lossless(runs)) EXPECT_TRUE(check.passed) << check.quantity;
  }
}

}  // namespace
}  // namespace sotto::apps
