#include "sotto/apps/kit/learn/mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace sotto::apps {
namespace {

TEST(MeanAndSd, IsOfTheSample) {
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).mean, 3);
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).sd, std::sqrt(7));
  EXPECT_EQ(mean_and_sd({4}).sd, 0);
  EXPECT_THROW((void)mean_and_sd({}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
