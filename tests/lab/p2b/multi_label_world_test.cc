#include "sotto/bench/lab/p2b/multi_label_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/multi_label_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::atomic<bool> not_interrupted{false};

TEST(MultiLabelWorld, TakesTheMostCommonLabelsAndTheFeaturesThatTellThem) {
  const TestFolder folder;
  // Labels 2 and 0 are common, 1 is not; feature 2 goes with label 2 and feature 4 with label 0; 1 and 3
  // are the same everywhere.
  std::string text;
  for (int i = 0; i < 10; ++i) text += "2 1:1 2:9 3:1\n0 1:1 3:1 4:9\n2 1:1 2:9 3:1\n";
  text += "1 1:1 3:1\n";
  MultiLabelSettings settings;
  settings.file = folder.put("data.svm", text);
  settings.dimension = 2;
  settings.arms = 2;
  settings.steps = 10;
  const MultiLabelData data = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(data.rows, 31u);
  EXPECT_EQ(data.features, 4u);
  EXPECT_EQ(data.labels, 3u);
  EXPECT_THAT(data.arms, ElementsAre(2, 0));
  EXPECT_THAT(data.context, ElementsAre(1, 3));
  EXPECT_EQ(data.world->users(), 3u);
  std::vector<double> contexts;
  ASSERT_EQ(data.world->meet(0, contexts), 10u);
  contexts.resize(4);
  EXPECT_THAT(contexts, ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(data.world->reward(0, 0, {}, 0), 1);
  EXPECT_EQ(data.world->reward(0, 0, {}, 1), 0);
  EXPECT_EQ(data.world->reward(0, 1, {}, 1), 1);
}

TEST(MultiLabelWorld, IsTheSameFromEitherFormat) {
  const TestFolder folder;
  const MultiLabelSample sample = multi_label_sample(200, 12, 6, 3);
  MultiLabelSettings settings;
  settings.dimension = 6;
  settings.arms = 5;
  settings.steps = 20;
  settings.file = folder.put("data.svm", sample.libsvm());
  const MultiLabelData a = read_multi_label(settings, not_interrupted);
  settings.file = folder.put("data.arff", sample.arff());
  const MultiLabelData b = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(a.arms, b.arms);
  EXPECT_EQ(a.context, b.context);
  EXPECT_EQ(a.world->recorded().contexts, b.world->recorded().contexts);
  EXPECT_EQ(a.world->users(), 10u);
}

TEST(MultiLabelWorld, CountsNegativeFeatures) {
  const TestFolder folder;
  MultiLabelSettings settings;
  settings.file = folder.put("d.svm", "0 1:-1 2:1\n1 1:2 2:0.5\n0 1:1\n1 2:1\n");
  settings.dimension = 2;
  settings.arms = 2;
  settings.steps = 2;
  const MultiLabelData data = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(data.features_clipped, 1u);
}

TEST(MultiLabelWorld, RefusesWhatTheFileHasNot) {
  const TestFolder folder;
  MultiLabelSettings settings;
  settings.file = folder.put("d.svm", "0 1:1 2:1\n1 1:2 2:1\n0 1:1\n1 2:1\n");
  settings.dimension = 2;
  settings.arms = 2;
  settings.steps = 2;
  const auto fault = [&] {
    return message_of<InputError>(folder,
                                  [&] { (void)read_multi_label(settings, not_interrupted); });
  };
  settings.arms = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 2 labels with a row, 3 arms"));
  settings.arms = 2;
  settings.dimension = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 2 features, a context of 3"));
  settings.dimension = 2;
  settings.steps = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 4 rows, not enough for two users"));
  const std::atomic<bool> now{true};
  settings.steps = 2;
  EXPECT_THROW((void)read_multi_label(settings, now), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
