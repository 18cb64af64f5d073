#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/bandit_plan.h"

#include "apps/prepare/data/contexts.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit {

using namespace sotto::apps::prepare;
namespace {

TEST(StepPlanTest, HasTheWidthsThatFollowFromItsBounds) {
  struct Row {
    std::uint64_t steps;
    unsigned Fx, FV, Fu, FW, FA, FG, Fe;
    double d;
  };
  const Row rows[] = {{10'000, 20, 40, 23, 34, 20, 26, 20, 6e-5},
                      {100'000, 20, 40, 25, 35, 17, 23, 18, 4e-4},
                      {1'000'000, 20, 40, 26, 36, 15, 20, 15, 2.1e-3},
                      {10'000'000, 19, 40, 28, 37, 12, 16, 12, 1.4e-2}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.steps);
    const BanditPlan plan = plan_bandit({.columns = {10, 10}, .arms = 10, .steps = row.steps});
    ASSERT_NE(plan.step, nullptr);
    EXPECT_EQ(plan.batches, nullptr);
    EXPECT_EQ(plan.step->context_bits, row.Fx);
    EXPECT_EQ(plan.step->inverse_bits, row.FV);
    EXPECT_EQ(plan.step->product_bits, row.Fu);
    EXPECT_EQ(plan.step->refreshed_bits, row.FW);
    EXPECT_EQ(plan.step->gram_bits, row.FA);
    EXPECT_EQ(plan.step->weight_gram_bits, row.FG);
    EXPECT_EQ(plan.step->correction_bits, row.Fe);
    EXPECT_NEAR(plan.step->rounding / row.d, 1, .05);
    EXPECT_EQ(plan.step->refresh_every, 256u);
    EXPECT_EQ(plan.step->division.rounds(), 2u);
    EXPECT_EQ(plan.reward_bits, 0u);
  }
}

TEST(StepPlanTest, TakesFewerFeatureBitsWhereAsked) {
  BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = 10'000, .binary_rewards = false};
  EXPECT_EQ(plan_bandit(p).reward_bits, 16u);
  p.fraction_bits = 14;
  EXPECT_EQ(plan_bandit(p).context_bits, 14u);
  EXPECT_EQ(plan_bandit(p).inverse_bits, 40u);
  EXPECT_EQ(plan_bandit(p).step->weight_bits, 20u);
  p.fraction_bits = 24;
  EXPECT_EQ(plan_bandit(p).context_bits, 20u);
}

std::uint64_t most_steps(BanditParameters p) {
  std::uint64_t borne = 1;
  std::uint64_t refused = std::uint64_t{1} << 40;
  while (refused - borne > 1) {
    p.steps = borne + (refused - borne) / 2;
    bool fits = true;
    try {
      (void)plan_bandit(p);
    } catch (const InputError&) {
      fits = false;
    }
    (fits ? borne : refused) = p.steps;
  }
  return borne;
}

TEST(StepPlanTest, BearsLongRuns) {
  BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = 1};
  EXPECT_GT(most_steps(p), 10'000'000u);
  p.max_norm = 8;
  EXPECT_GT(most_steps(p), 56'378u);
  p.max_norm = 1;
  p.columns = {392, 392};
  EXPECT_GT(most_steps(p), 310'043u);
}

void expect_room_for_every_value(StepUpdate update) {
  for (unsigned bits = 12; bits <= 24; bits += 3) {
    for (const double norm : {.25, 1.0, 1.5, 3.0, 8.0}) {
      for (const std::size_t features : {2u, 20u, 200u}) {
        BanditParameters p{.columns = {features / 2, features / 2}, .arms = 3, .steps = 1};
        p.max_norm = norm;
        p.fraction_bits = bits;
        p.binary_rewards = false;
        p.update = update;
        p.steps = most_steps(p);
        for (const std::uint64_t steps : {std::uint64_t{1}, std::uint64_t{1000}, p.steps}) {
          p.steps = std::min(steps, p.steps);
          const BanditPlan plan = plan_bandit(p);
          const StepPlan& s = *plan.step;
          SCOPED_TRACE(::testing::Message() << bits << " bits, norm " << norm << ", " << features << " features, "
                                            << p.steps << " steps, update " << static_cast<int>(update));
          const double R = std::max(1.0, norm) * (1 + norm_slack) * (1 + norm_slack);
          const auto T = static_cast<double>(p.steps);
          const double n = 1 + T * R * R;
          const double off = 1 + s.largest_error();
          const double w = .75 * std::sqrt(T) + 1;
          EXPECT_LE(s.largest_error(), .25);
          const auto below_2_to_62 = [&](double value, unsigned scale) { EXPECT_LT(std::log2(value) + scale, 62); };
          // Each comment names the value. Here x is a context, r is a reward, and s is a score. The other vectors are u
          // = W x, v = u / (1 + u x), and e, which is the truncated b - A w.
          below_2_to_62(n, 2 * s.context_bits);                                     // A
          below_2_to_62(R * T, s.context_bits + s.reward_bits);                     // b
          below_2_to_62(w * R, s.weight_bits + s.context_bits);                     // w x
          below_2_to_62(off * R, s.inverse_bits + s.context_bits);                  // W x
          below_2_to_62(1 + off * R * R, s.product_bits + s.context_bits);          // 1 + u x
          below_2_to_62(off, 2 * s.product_bits + 1);                               // twice W
          below_2_to_62(off, s.kept_inverse_bits);                                  // W
          below_2_to_62(w, s.product_bits + s.score_bits);                          // w + v (r - s)
          below_2_to_62(2 * std::sqrt(n), s.gram_bits + s.refreshed_bits);          // A W
          below_2_to_62(2 * (1 + s.rounding), s.refreshed_bits + s.residual_bits);  // 2 W - W A W
          below_2_to_62(std::sqrt(n * T) + 1, s.weight_gram_bits + s.weight_bits);  // b - A w
          below_2_to_62(w, s.refreshed_bits + s.correction_bits);                   // w + W e
          // A truncation makes u and drops of_u bits. Another truncation makes the divisor and drops of_d bits. The
          // protocol can multiply u and the divisor only within these limits.
          const unsigned of_u = s.inverse_bits + s.context_bits - s.product_bits;
          const unsigned of_d = s.product_bits + s.context_bits - s.divisor_bits;
          EXPECT_LE(of_u + of_d, 64u);
          EXPECT_LE(of_d, 32u);
          EXPECT_GT(2 * s.product_bits + 1, s.inverse_bits);
          EXPECT_GE(s.inverse_bits, s.refreshed_bits);
          EXPECT_EQ(s.kept_inverse_bits, update == StepUpdate::all_arms ? s.inverse_bits : 2 * s.product_bits + 1);
          EXPECT_GE(s.score_bits, s.reward_bits);
          const double apart = 1.5 * R * std::sqrt(T / 2);
          EXPECT_LE(std::ldexp(apart, 16) + 1, std::ldexp(1.0, static_cast<int>(plan.comparison_bits) - 1));
        }
      }
    }
  }
}

TEST(StepPlanTest, LeavesRoomForEveryValueOfTheLongestRun) {
  for (const StepUpdate update : {StepUpdate::all_arms, StepUpdate::pulled_arm}) expect_room_for_every_value(update);
}

TEST(StepPlanTest, SaysWhatToChange) {
  BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = 1'000'000'000};
  EXPECT_EQ(
      error_of<InputError>([&] { (void)plan_bandit(p); }),
      "--steps 1000000000 with 20 features and --max-norm 1: rounding would spoil the inverse matrices; use fewer "
      "steps, fewer features or a smaller norm");
}

}  // namespace
}  // namespace sotto::apps::bandit
