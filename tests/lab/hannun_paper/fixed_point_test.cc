#include "bench/lab/hannun_paper/fixed_point.h"

#include "apps/bandit/model/twin/plaintext.h"
#include "bench/lab/hannun_paper/world.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

constexpr std::size_t small_features = 5;

std::vector<std::vector<double>> unit_rows(std::size_t count, std::size_t features, std::uint64_t seed) {
  Stream stream({seed});
  std::vector<std::vector<double>> rows(count, std::vector<double>(features));
  for (std::vector<double>& row : rows) {
    double square = 0;
    for (double& value : row) {
      value = stream.normal();
      square += value * value;
    }
    for (double& value : row) value /= std::sqrt(square);
  }
  return rows;
}

double error_after(const FixedPointSettings& settings, std::size_t pulls) {
  FixedPointBandit fixed(2, small_features, 0, 1, settings);
  PlaintextBandit twin(2, small_features, 0, 1);
  for (const std::vector<double>& row : unit_rows(pulls, small_features, 4)) {
    fixed.update(row, 1, 1);
    twin.update(row, 1, 1);
  }
  const std::vector<double> ours = fixed.inverse_matrix(1);
  const std::span<const double> theirs = twin.inverse_matrix(1);
  double largest = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) largest = std::max(largest, std::abs(ours[i] - theirs[i]));
  return largest;
}

TEST(FixedPointBandit, FollowsDoublePrecisionTheCloserTheMoreBits) {
  for (const FixedRounding rounding : {FixedRounding::unbiased, FixedRounding::nearest, FixedRounding::published}) {
    EXPECT_LT(error_after({20, rounding, NewtonStart::linear, 3}, 200), 1e-4);
    EXPECT_LT(error_after({20, rounding, NewtonStart::published, 7}, 200), 1e-3);
    EXPECT_LT(error_after({20, rounding, NewtonStart::none, 0}, 200), 1e-4);
    EXPECT_GT(error_after({10, rounding, NewtonStart::none, 0}, 200), 1e-3);
  }
  // Always rounding down accumulates a bias. Random rounding errors partly cancel, so the total error grows more
  // slowly.
  EXPECT_GT(error_after({16, FixedRounding::floor, NewtonStart::none, 0}, 200),
            4 * error_after({16, FixedRounding::nearest, NewtonStart::none, 0}, 200));
}

TEST(FixedPointBandit, KeepsOtherArmsAsTheyWere) {
  FixedPointBandit bandit(3, small_features, 0, 1, {});
  for (const auto& row : unit_rows(20, small_features, 5)) bandit.update(row, 1, 1);
  for (const std::size_t other : {0U, 2U}) {
    const std::vector<double> inverse = bandit.inverse_matrix(other);
    for (std::size_t i = 0; i < inverse.size(); ++i) EXPECT_EQ(inverse[i], i % (small_features + 1) == 0 ? 1 : 0);
  }
}

// The division of a shared integer z fails with probability |z| / 2^64. If a product is 1/2 and its factors have 28
// fraction bits, z is 2^55, so one division in 512 fails.
TEST(FixedPointBandit, FailsAsOftenAsPublishedAndOtherwiseNever) {
  const auto failures = [](FixedRounding rounding, unsigned bits) {
    FixedPointBandit bandit(1, small_features, 0, 1, {bits, rounding, NewtonStart::none, 0});
    std::vector<double> row(small_features);
    row[0] = 1;
    for (int i = 0; i < 5000; ++i) {
      (void)bandit.select(row);
      if (i == 0) bandit.update(row, 0, 1);
    }
    return bandit.failures();
  };
  EXPECT_EQ(failures(FixedRounding::unbiased, 28), 0U);
  EXPECT_EQ(failures(FixedRounding::nearest, 28), 0U);
  EXPECT_EQ(failures(FixedRounding::published, 8), 0U);  // each division fails with probability 2^-48
  const std::uint64_t often = failures(FixedRounding::published, 28);
  EXPECT_GT(often, 4U);  // expected: 19.5 failures in 10,000 products that are 1/2
  EXPECT_LT(often, 45U);
}

TEST(FixedPointBandit, ChoosesAsItsScoresSayAndTiesByChance) {
  FixedPointBandit bandit(4, 2, 0, 7, {});
  const std::vector<double> x{.6, .8};
  std::array<int, 4> pulled{};
  for (int i = 0; i < 400; ++i) ++pulled.at(bandit.select(x));
  for (const int count : pulled) EXPECT_NEAR(count, 100, 50);
  bandit.update(x, 2, 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(bandit.select(x), 2U);
}

TEST(FixedPointBandit, RefusesWhatItCannotBe) {
  EXPECT_THROW(FixedPointBandit(0, 2, 0, 1, {}), std::invalid_argument);
  EXPECT_THROW(FixedPointBandit(2, 0, 0, 1, {}), std::invalid_argument);
  EXPECT_THROW(FixedPointBandit(2, 2, 0, 1, {7}), std::invalid_argument);
  EXPECT_THROW(FixedPointBandit(2, 2, 0, 1, {29}), std::invalid_argument);
  EXPECT_THROW(FixedPointBandit(2, 2, 1.5, 1, {}), InputError);
  FixedPointBandit bandit(2, 2, 0, 1, {});
  EXPECT_THROW((void)bandit.select(std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW(bandit.update(std::vector<double>{1, 0}, 2, 1), std::invalid_argument);
  EXPECT_THROW((void)bandit.inverse_matrix(2), std::invalid_argument);
}

TEST(NewtonError, IsThatOfEachStart) {
  EXPECT_NEAR(newton_error(NewtonStart::linear, 0, 1), 1.0 / 17, 1e-12);
  EXPECT_NEAR(newton_error(NewtonStart::linear, 0, 2), 1.0 / 17, 1e-12);
  EXPECT_NEAR(newton_error(NewtonStart::linear, 3, 1), std::pow(17.0, -8), 1e-12);
  EXPECT_NEAR(newton_error(NewtonStart::published, 7, 10), .015, .001);
  EXPECT_GT(newton_error(NewtonStart::linear, 8, 4), 1);
  EXPECT_EQ(newton_error(NewtonStart::none, 0, 3), 0);
}

LabelledData axes(std::size_t rows) {
  LabelledData images{rows, hannun_features, 10, std::vector<double>(rows * hannun_features), {}};
  for (std::size_t row = 0; row < rows; ++row) {
    images.contexts[row * hannun_features + row % 10] = 1;
    images.labels.push_back(static_cast<std::uint32_t>(row % 10));
  }
  return images;
}

std::vector<double> axis_model() {
  std::vector<double> weights(10 * hannun_features);
  for (std::size_t a = 0; a < 10; ++a) weights[a * hannun_features + a] = 1;
  return weights;
}

struct FirstArm {
  std::size_t select(std::span<const double>) { return 0; }
  void update(std::span<const double>, std::size_t, double reward) { sum += reward; }
  double sum = 0;
};

TEST(HannunTwin, AveragesTheRewardsOfTheOrderUpToEachMark) {
  const LabelledData images = axes(30);
  const HannunWorld world(images);
  FirstArm bandit;
  std::vector<std::size_t> order(30);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<double> sums;
  const std::vector<std::uint64_t> marks{1, 10, 11, 30};
  const auto averages =
      play_order(bandit, world, order, 1, marks, [&](std::size_t, const FirstArm& at) { sums.push_back(at.sum); });
  EXPECT_THAT(averages, ElementsAre(1, .1, 2.0 / 11, .1));
  EXPECT_THAT(sums, ElementsAre(1, 1, 2, 3));
  const auto play = [&](std::vector<std::uint64_t> wrong) {
    return play_order(bandit, world, order, 1, wrong, [](std::size_t, const FirstArm&) {});
  };
  EXPECT_THROW((void)play({31}), std::invalid_argument);
  EXPECT_THROW((void)play({2, 1}), std::invalid_argument);
}

TEST(HannunTwin, LearnsTheAxesAndRepeatsItself) {
  const LabelledData images = axes(2000);
  const HannunWorld world(images);
  const std::vector<std::uint64_t> marks{1000, 2000};
  const auto first = play_hannun_twin(world, .05, 3, marks);
  EXPECT_GT(2 * first[1] - first[0], .9);
  EXPECT_EQ(first, play_hannun_twin(world, .05, 3, marks));
  EXPECT_NE(first, play_hannun_twin(world, .05, 4, marks));
  EXPECT_NEAR(play_hannun_twin(world, 1, 3, marks)[1], .1, .04);
}

TEST(HannunWorld, KMeansArmsPayMoreTheCloserTheirCentre) {
  const LabelledData images = axes(100);
  const HannunWorld world(images, 10, 1);
  EXPECT_NEAR(world.best_reward(), 1, 1e-9);
  EXPECT_NEAR(world.uniform_reward(), .1 + .9 * std::exp(-4.0), 1e-9);
  EXPECT_EQ(world.probabilities().size(), 1000U);
  EXPECT_FALSE(world.has_classes());
  const double chance = world.probabilities()[0];
  EXPECT_EQ(world.reward(0, 0, chance / 2), 1);
  EXPECT_EQ(world.reward(0, 0, chance + (1 - chance) / 2), chance < 1 ? 0 : 1);
}

TEST(Membership, SeesAModelThatIsRightOnMembersAlone) {
  const LabelledData right = axes(50);
  LabelledData wrong = axes(50);
  for (std::uint32_t& label : wrong.labels) label = (label + 1) % 10;
  std::vector<std::size_t> rows(50);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto attack = [&](const LabelledData& members, const LabelledData& others) {
    return membership_advantage(axis_model(), 0, {&members, rows}, {&others, rows}, 1);
  };
  EXPECT_EQ(attack(right, wrong).by_reward, 1);
  // Here the attack must find out that the members are the rows without reward.
  EXPECT_EQ(attack(wrong, right).by_reward, 1);
  EXPECT_EQ(attack(right, right).by_reward, 0);
  EXPECT_NEAR(attack(right, wrong).by_reward_and_arm, 1, 1e-12);
  EXPECT_EQ(attack(right, right).by_reward_and_arm, 0);
  EXPECT_THROW((void)membership_advantage(axis_model(), 0, {&right, {}}, {&right, rows}, 1), std::invalid_argument);
}

TEST(Membership, HalfOfTheAdvantageIsLeftWhereHalfOfThePullsAreRandom) {
  const LabelledData right = axes(5000);
  LabelledData wrong = axes(5000);
  for (std::uint32_t& label : wrong.labels) label = (label + 1) % 10;
  std::vector<std::size_t> rows(5000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto found = membership_advantage(axis_model(), .5, {&right, rows}, {&wrong, rows}, 1);
  EXPECT_NEAR(found.by_reward, .5, .05);
}

TEST(MembershipSplit, PlaysNobodyWhoIsHeldOut) {
  HannunData data;
  data.played = axes(90);
  const MembershipSplit split(data, 2);
  EXPECT_EQ(split.played().size(), 60U);
  EXPECT_EQ(split.members(10).rows.size(), 10U);
  std::vector<std::size_t> all(split.played().begin(), split.played().end());
  const MembershipExamples others = split.others();
  all.insert(all.end(), others.rows.begin(), others.rows.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  data.held_out = axes(20);
  const MembershipSplit apart(data, 2);
  EXPECT_EQ(apart.played().size(), 90U);
  EXPECT_EQ(apart.others().images, &data.held_out);
  EXPECT_EQ(apart.others().rows.size(), 20U);
}

TEST(HannunPrivateRun, ReadsTheCurveBetweenItsPoints) {
  HannunPrivateRun run;
  EXPECT_EQ(run.average_after(10), 0);
  run.curve = {{2, .5, {}}, {4, .75, {}}, {10, .6, {}}};  // the sums of rewards are 1, 3 and 6
  EXPECT_DOUBLE_EQ(run.average_after(2), .5);
  EXPECT_DOUBLE_EQ(run.average_after(3), 2.0 / 3);
  EXPECT_DOUBLE_EQ(run.average_after(8), 5.0 / 8);
  EXPECT_DOUBLE_EQ(run.average_after(10), .6);
}

}  // namespace
}  // namespace sotto::apps::lab
