#include "sotto/core/text/count.h"

#include <gtest/gtest.h>

#include <limits>

namespace sotto {
namespace {

TEST(Count, OneIsSingularAndEverythingElseIsNot) {
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(counted(2, "step"), "2 steps");
  EXPECT_EQ(counted(11, "arm"), "11 arms");
  EXPECT_EQ(counted(std::numeric_limits<std::uint64_t>::max(), "byte"),
            "18446744073709551615 bytes");
}

TEST(Count, NounsHaveThePluralThatTheyHaveInEnglish) {
  EXPECT_EQ(noun(2, "party"), "parties");
  EXPECT_EQ(noun(2, "day"), "days");
  EXPECT_EQ(noun(2, "batch"), "batches");
  EXPECT_EQ(noun(2, "process"), "processes");
  EXPECT_EQ(noun(2, "feature vector"), "feature vectors");
  EXPECT_EQ(noun(1, "party"), "party");
  EXPECT_EQ(noun(1, "batch"), "batch");
}

}  // namespace
}  // namespace sotto
