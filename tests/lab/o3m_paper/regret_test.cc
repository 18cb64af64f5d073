#include "bench/lab/o3m_paper/regret.h"
#include "apps/kit/learn/instance.h"
#include "apps/o3m/masked_contexts.h"
#include "apps/o3m/masking.h"
#include "bench/lab/o3m_paper/result.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/o3m/test_site.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

RegretSettings small() { return RegretSettings{.arms = 4, .columns = {2, 3, 5}, .steps = 250, .repeats = 3}; }

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
  EXPECT_THROW((void)run_regret(small(), always_interrupted), Interrupted);
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

O3mParameters parameters_of(std::vector<std::size_t> columns, std::size_t arms, std::uint64_t steps) {
  O3mParameters parameters;
  parameters.steps = steps;
  parameters.arms = arms;
  parameters.bounds.assign(columns.size(), 1);
  parameters.columns = std::move(columns);
  return parameters;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

PROPERTY(LocalMasking, KeepsInnerProductsAndHidesTheBasis) {
  const auto columns = draw_vector(3, [] { return draw_in_range<std::size_t>(1, 5); });
  const std::size_t d = std::accumulate(columns.begin(), columns.end(), std::size_t{0});
  const auto seed = draw<std::uint64_t>();
  constexpr std::size_t rows = 4;
  std::vector<double> contexts(rows * d), masked(rows * d);
  LinearInstance({d, rows, 0, seed}).contexts(0, 0, contexts);
  LocalMasking(parameters_of(columns, rows, 1), seed).mask(contexts, masked);
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b < rows; ++b) {
      const double plain = dot(std::span(contexts).subspan(a * d, d), std::span(contexts).subspan(b * d, d));
      const double hidden = dot(std::span(masked).subspan(a * d, d), std::span(masked).subspan(b * d, d));
      HOLDS(std::abs(plain - hidden) < 1e-11);
    }
  }
  HOLDS(contexts != masked);
}

TEST(LocalMasking, GivesBitForBitWhatTheRoundsGive) {
  const O3mParameters parameters = parameters_of({3, 1, 2}, 2, 5);
  const O3mPlan plan = plan_o3m(parameters);
  constexpr std::uint64_t seed = 17;
  const LinearInstance instance({6, 2, 0, seed});
  std::vector<double> contexts(5 * 2 * 6), masked(contexts.size());
  for (std::size_t t = 0; t < 5; ++t) instance.contexts(0, t, std::span(contexts).subspan(t * 12, 12));
  LocalMasking(parameters, seed).mask(contexts, masked);

  Contexts of_participants(3);
  for (std::size_t row = 0; row < 5 * 2; ++row) {
    for (std::size_t p = 0; p < 3; ++p) {
      const auto own = std::span(contexts).subspan(row * 6 + plan.offset(p), parameters.columns[p]);
      of_participants[p].insert(of_participants[p].end(), own.begin(), own.end());
    }
  }
  std::vector<TestSite> sites = sites_of(plan, of_participants, random_orthogonal(6, Seed::insecure_from_number(seed)));
  (void)simulate_masked(plan, sites);
  EXPECT_EQ(sites[0].taken, masked);
}

TEST(LocalMasking, RefusesOtherSizes) {
  LocalMasking masking(parameters_of({1, 2}, 2, 1), 1);
  std::vector<double> four(4), three(3);
  EXPECT_THROW(masking.mask(four, four), std::invalid_argument);
  EXPECT_THROW(masking.mask(three, four), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::lab
