#include "sotto/apps/p2b/roles/batch_clock.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/apps/p2b/roles/manual_clock.h"

namespace sotto::apps {
namespace {

using std::chrono::seconds;

TEST(BatchClock, TicksAtMultiplesOfItsPeriod) {
  const BatchClock minutes(seconds(60), ManualClock().function());
  EXPECT_EQ(minutes.tick_after(Tick(seconds(0))), Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(59)) + std::chrono::milliseconds(999)),
            Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(60))), Tick(seconds(120))) << "later, not the same";
  const BatchClock days(seconds(86'400));
  EXPECT_EQ(tick_text(days.tick_after(ManualClock::begin)), "2027-01-16T00:00:00Z");
}

TEST(BatchClock, RefusesPeriodsThatAreNone) {
  EXPECT_THROW(BatchClock(seconds(0)), std::invalid_argument);
  EXPECT_THROW(BatchClock(seconds(-5)), std::invalid_argument);
  EXPECT_THROW(BatchClock(longest_period + seconds(1)), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
