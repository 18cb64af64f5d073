#include "apps/live/import/foreign_model.h"

#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::live {

using namespace sotto::apps::bandit;
namespace {

using namespace bandit::testing;

constexpr std::size_t imported_steps = 100'000;

BatchPlan plan_of(std::vector<std::size_t> columns, std::size_t arms, std::size_t steps = imported_steps) {
  BanditParameters parameters;
  parameters.columns = std::move(columns);
  parameters.arms = arms;
  parameters.steps = steps;
  parameters.separate_rewarder = true;
  return plan_batches(std::move(parameters), 64);
}

LiveSettings settings_of(std::vector<std::string> arms, std::vector<AddedFeature> added = {}) {
  LiveSettings settings;
  settings.arms = std::move(arms);
  settings.batch_sizes = {64};
  settings.added_features = std::move(added);
  return settings;
}

class Imported : public ::testing::Test {
 protected:
  void make(const BatchPlan& plan, std::vector<std::string> arms, std::size_t parties) {
    const std::size_t d = plan.parameters.features();
    const std::size_t a = plan.parameters.arms;
    whole = {words(a * d * (d + 1) / 2), words(a * d * (d + 1) / 2), words(a * d), words(a * d)};
    shares.assign(parties, {});
    for (std::size_t party = 0; party < parties; ++party) {
      ForeignModel& own = shares[party];
      own.arm_names = arms;
      own.arms = a;
      own.steps = plan.parameters.steps;
      own.batch = plan.batch;
    }
    share(&ModelWords::gram);
    share(&ModelWords::inverse);
    share(&ModelWords::targets);
    share(&ModelWords::weights);
  }
  ModelWords together(const BatchPlan& plan, const LiveSettings& settings) {
    ModelWords sum;
    for (std::size_t party = 0; party < shares.size(); ++party) {
      const auto kept = decode_foreign_model(encode(shares[party]));
      EXPECT_EQ(kept, shares[party]);
      const ModelWords own = converted(*kept, plan, settings, static_cast<NodeId>(party));
      EXPECT_TRUE(decode_model_words(encode(own), plan));
      for (const auto part : {&ModelWords::gram, &ModelWords::inverse, &ModelWords::targets, &ModelWords::weights}) {
        (sum.*part).resize((own.*part).size());
        for (std::size_t i = 0; i < (own.*part).size(); ++i) (sum.*part)[i] += (own.*part)[i];
      }
    }
    return sum;
  }
  std::string refusal(const BatchPlan& plan, const LiveSettings& settings) {
    return error_of<DisagreementError>([&] { return converted(shares.at(0), plan, settings, 0); });
  }

  ModelWords whole;
  std::vector<ForeignModel> shares;

 private:
  Numbers words(std::size_t count) {
    Numbers result(count);
    for (std::uint64_t& word : result) word = random_();
    return result;
  }
  void share(std::vector<std::uint64_t> ModelWords::*part) {
    Numbers left = whole.*part;
    for (std::size_t party = 1; party < shares.size(); ++party) {
      shares[party].model.*part = words(left.size());
      for (std::size_t i = 0; i < left.size(); ++i) left[i] -= (shares[party].model.*part)[i];
    }
    shares[0].model.*part = left;
  }
  std::mt19937_64 random_{7};
};

TEST_F(Imported, IsTheSameWhereNothingChanges) {
  for (const std::size_t parties : {2, 3, 5}) {
    const BatchPlan plan = plan_of(std::vector<std::size_t>(parties, 2), 3);
    make(plan, {"a", "b", "c"}, parties);
    EXPECT_EQ(together(plan, settings_of({"a", "b", "c"})), whole);
  }
}

TEST_F(Imported, HasNewArmsAndFeatures) {
  make(plan_of({2, 1, 2}, 2), {"a", "b"}, 3);
  const BatchPlan plan = plan_of({3, 2, 2}, 3);
  const LiveSettings settings = settings_of({"new", "b", "a"}, {{0, 1}, {1, 0}});
  const ModelWords model = together(plan, settings);
  // For each new column, `was` is the index of the old column, or -1 if the column did not exist. `arm_was` is the same
  // for arms.
  const std::vector<int> was{0, -1, 1, -1, 2, 3, 4};
  const std::vector<int> arm_was{-1, 1, 0};
  const auto old_entry = [](const Numbers& words, std::size_t arm, std::size_t i, std::size_t j) {
    std::size_t at = arm * 15;
    for (std::size_t row = 0; row < i; ++row) at += 5 - row;
    return words[at + j - i];
  };
  std::size_t entry = 0;
  for (std::size_t arm = 0; arm < 3; ++arm) {
    for (std::size_t i = 0; i < 7; ++i) {
      const bool is_old = arm_was[arm] >= 0 && was[i] >= 0;
      const auto old_arm = static_cast<std::size_t>(arm_was[arm]);
      const auto old_i = static_cast<std::size_t>(was[i]);
      EXPECT_EQ(model.targets[arm * 7 + i], is_old ? whole.targets[old_arm * 5 + old_i] : 0);
      EXPECT_EQ(model.weights[arm * 7 + i], is_old ? whole.weights[old_arm * 5 + old_i] : 0);
      for (std::size_t j = i; j < 7; ++j, ++entry) {
        const auto old_j = static_cast<std::size_t>(was[j]);
        const bool both = is_old && was[j] >= 0;
        const std::uint64_t one = i == j ? 1 : 0;
        EXPECT_EQ(model.gram[entry],
                  both ? old_entry(whole.gram, old_arm, old_i, old_j) : one << (2 * plan.context_bits));
        const unsigned finer = plan.inverse_bits - plan_of({2, 1, 2}, 2).inverse_bits;
        EXPECT_EQ(model.inverse[entry],
                  both ? old_entry(whole.inverse, old_arm, old_i, old_j) << finer : one << plan.inverse_bits);
      }
    }
  }
}

// A service for more steps stores the sums with fewer fraction bits. An imported model keeps the bits of the earlier
// service until the first learn rounds the sums.
TEST_F(Imported, KeepsItsBitsUntilItIsRounded) {
  const BatchPlan before = plan_of({2, 2}, 2);
  make(before, {"a", "b"}, 2);
  const BatchPlan plan = plan_of({2, 2}, 2, 100'000'000);
  ASSERT_LT(plan.context_bits, before.context_bits);
  const ModelWords model = together(plan, settings_of({"a", "b"}));
  EXPECT_EQ(model.gram, whole.gram);
  EXPECT_EQ(model.targets, whole.targets);
  const SumBits bits = sum_bits(shares[0], 2);
  EXPECT_EQ(bits.gram, before.model_bits().gram);
  EXPECT_EQ(bits.targets, before.model_bits().targets);
}

TEST_F(Imported, SaysWhatDoesNotFit) {
  const BatchPlan before = plan_of({2, 2}, 2);
  make(before, {"a", "b"}, 2);
  const LiveSettings same = settings_of({"a", "b"});
  EXPECT_THAT(refusal(plan_of({2, 3}, 2), same), HasSubstr("has not 5 features: name in added_features"));
  EXPECT_THAT(refusal(before, settings_of({"a", "b"}, {{2, 0}})), HasSubstr("column 0 of party 2"));
  EXPECT_THAT(refusal(before, settings_of({"a", "b"}, {{1, 2}})), HasSubstr("column 2 of party 1"));
  EXPECT_THAT(refusal(before, settings_of({"a", "b"}, {{1, 0}, {1, 1}})), HasSubstr("all columns of party 1"));
  EXPECT_THAT(refusal(plan_of({2, 2}, 2, 100), same), HasSubstr("set no fewer steps"));
  shares[0].max_norm = 2;
  EXPECT_THAT(refusal(before, same), HasSubstr("above max_norm in [run], 1"));
}

}  // namespace
}  // namespace sotto::apps::live
