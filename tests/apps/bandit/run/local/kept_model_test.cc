// A model that is kept and found again: every party's shares are the same words.
#include "apps/bandit/run/local/in_process/kept_model.h"
#include "apps/bandit/run/local/in_process/shared_model.h"
#include "apps/bandit/run/local/in_process/taken_model.h"

#include <algorithm>

#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::run {
namespace {

const std::vector<std::size_t> columns{2, 1};
const std::vector<std::vector<std::string>> names{{"age", "income, net"}, {"clicks"}};

BanditSettings settings_of(std::uint64_t steps) {
  BanditSettings settings;
  settings.steps = steps;
  settings.arms = 3;
  settings.batch = 4;
  settings.max_norm = 1;
  return settings;
}

void learn(SharedModel& model) {
  const std::vector<double> first{.1, .2, -.3, .4, .5, -.6, .1, .1, .2, .2, .3, .3};
  const std::vector<double> second{.5, -.5, .4, .3, -.2, .1};
  const std::vector<std::int64_t> arms{0, 1, 2, 0, 1, 1};
  const std::vector<double> rewards{1, 0, 1, 1, 0, 1};
  model.learn(std::vector<RowsView>{view_of(first, 2), view_of(second, 1)}, arms, rewards);
}

class KeptModel : public InFolder {
 protected:
  SharedModel model_{settings_of(100), columns};
};

TEST_F(KeptModel, HasTheSameShares) {
  learn(model_);
  const std::vector<EarlierModel> models = model_.as_earlier();
  keep_model(folder.path() / "m", settings_of(100), models, names);
  const FoundModel found = find_model({folder.path() / "m/state/party_0", folder.path() / "m/state/party_1"});
  EXPECT_EQ(found.columns, names);
  EXPECT_EQ(found.settings.steps, 100u);
  ASSERT_EQ(found.models.size(), 2u);
  const SharedModel again(settings_of(100), columns, found.models, 7, 2);
  const std::vector<EarlierModel> taken = again.as_earlier();
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(found.models[p].name, models[p].name);
    EXPECT_EQ(found.models[p].shares.inverses, models[p].shares.inverses);
    EXPECT_EQ(found.models[p].shares.targets, models[p].shares.targets);
    EXPECT_EQ(taken[p].shares.inverses, models[p].shares.inverses);
    EXPECT_EQ(taken[p].shares.targets, models[p].shares.targets);
    EXPECT_NE(taken[p].name.id, models[p].name.id) << "shares of two calls are never of one model";
  }
  EXPECT_NE(models[0].shares.targets, models[1].shares.targets);
  EXPECT_EQ(again.learned(), 6u);
  EXPECT_EQ(again.decided(), 7u);
  EXPECT_EQ(again.greedy(), 2u);
}

// The widths of A and b follow from the bits of features, those of W and w also from the number of rows.
TEST_F(KeptModel, GoesOnWithOtherWidths) {
  struct Case {
    unsigned bits, then;
    std::uint64_t rows, rows_then;
  };
  for (const auto& [bits, then, rows, rows_then] :
       {Case{20, 14, 100, 1'000'000}, {20, 14, 1'000'000, 100}, {14, 20, 100, 1'000'000}, {14, 20, 1'000'000, 100}}) {
    BanditSettings settings = settings_of(rows);
    settings.bits = bits;
    SharedModel first(settings, columns);
    learn(first);
    settings.bits = then;
    settings.steps = rows_then;
    SharedModel second(settings, columns, first.as_earlier(), 0, 0);
    const ModelBits before = first.plan().model_bits();
    const ModelBits after = second.plan().model_bits();
    ASSERT_EQ(before.gram > after.gram, bits > then);
    ASSERT_EQ(before.inverse > after.inverse, rows > rows_then);
    // Until the next lesson A has at least the bits that it had.
    EXPECT_EQ(second.as_earlier().front().name.bits.gram, std::max(before.gram, after.gram));
    learn(second);
    EXPECT_EQ(second.as_earlier().front().name.bits, after);
    learn(first);
    const std::vector<double> age{.5, .1};
    const std::vector<double> clicks{.2};
    const std::vector<RowsView> row{view_of(age, 2), view_of(clicks, 1)};
    const std::vector<double> expected = first.exact_scores(row);
    const std::vector<double> scores = second.exact_scores(row);
    for (std::size_t arm = 0; arm < 3; ++arm) EXPECT_NEAR(scores[arm], expected[arm], 1e-2);
  }
}

TEST_F(KeptModel, RefusesModelsThatAreNotOne) {
  EXPECT_THROW((void)model_.as_earlier(), InputError) << "nothing was learned";
  learn(model_);
  std::vector<EarlierModel> mixed = model_.as_earlier();
  mixed[1] = model_.as_earlier()[1];
  EXPECT_THROW(require_one_model(mixed), InputError);
  EXPECT_THROW(SharedModel(settings_of(100), columns, mixed, 0, 0), InputError);
  EXPECT_THROW(SharedModel(settings_of(5), columns, model_.as_earlier(), 0, 0), InputError) << "6 rows are learned";
  EXPECT_THROW(SharedModel(settings_of(100), {2, 2}, model_.as_earlier(), 0, 0), InputError);
  BanditSettings smaller = settings_of(100);
  smaller.max_norm = .5;
  EXPECT_THROW(SharedModel(smaller, columns, model_.as_earlier(), 0, 0), InputError);
}

TEST_F(KeptModel, OverwritesNothing) {
  learn(model_);
  keep_model(folder.path(), settings_of(100), model_.as_earlier(), names);
  EXPECT_THROW(keep_model(folder.path(), settings_of(100), model_.as_earlier(), names), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state.new"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
