#include "apps/kit/report/human.h"

#include "tests/framework.h"

namespace sotto::apps {
namespace {

TEST(HumanUnits, KeepThreeDigits) {
  const std::pair<double, const char*> seconds[] = {
      {0, "0 s"},      {8.4e-7, "840 ns"},    {9.996e-7, "1.00 us"}, {41.34e-6, "41.3 us"}, {.5, "500 ms"},
      {1.2, "1.20 s"}, {99.96, "1 min 40 s"}, {185, "3 min 05 s"},   {7260, "2 h 01 min"}};
  for (const auto& [value, text] : seconds) EXPECT_EQ(human_seconds(value), text);
  const std::pair<double, const char*> bytes[] = {{0, "0 B"},          {999, "999 B"},     {999.7, "1.00 KB"},
                                                  {30'412, "30.4 KB"}, {1.2e6, "1.20 MB"}, {5e15, "5000 TB"}};
  for (const auto& [value, text] : bytes) EXPECT_EQ(human_bytes(value), text);
  const std::pair<double, const char*> counts[] = {
      {950, "950"}, {60'000, "60,000"}, {-1234567, "-1,234,567"}, {12.3e6, "12.3 M"}, {2e9, "2.00 G"}};
  for (const auto& [value, text] : counts) EXPECT_EQ(human_count(value), text);
  EXPECT_EQ(human_eta(4.506), "4.51");
  EXPECT_EQ(human_eta(265'825.4), "265,825");
}

}  // namespace
}  // namespace sotto::apps
