#include "sotto/apps/kit/report/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto::apps {
namespace {

TEST(Check, CountsWhatIsWithin) {
  const Check good{"1", "noise 1", "regret", "3 +- 1", "3.2 +- .5", true};
  Check bad = good;
  bad.passed = false;
  EXPECT_TRUE(all_passed({}));
  EXPECT_TRUE(all_passed({good, good}));
  EXPECT_FALSE(all_passed({good, bad}));
  EXPECT_EQ(verdict({good, bad, good}), "2 of 3 figures are within what was expected of them");
}

TEST(Check, TableHasARowACheckAndTheNote) {
  const FigureTable table = check_table({{"1", "noise 1", "regret", "3 +- 1", "9", false}}, "What within means.");
  EXPECT_EQ(table.key(), "checks");
  ASSERT_EQ(table.rows(), 1U);
  const auto json = table.to_json();
  EXPECT_EQ(json[0]["expected"], "3 +- 1");
  EXPECT_EQ(json[0]["passed"], false);
  EXPECT_NE(table.to_text().find("What within means."), std::string::npos);
}

}  // namespace
}  // namespace sotto::apps
