#include "sotto/apps/kit/process/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace sotto::apps {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// A clock that the test moves.
struct FakeClock {
  ProgressLine::Clock::time_point now{std::chrono::seconds(1000)};
  ProgressLine::Now read() {
    return [this] { return now; };
  }
};

TEST(ProgressText, HasBarRewardRatesAndTimeLeft) {
  const ProgressState state{28'200, 60'000, .812, 197'400};
  EXPECT_EQ(progress_text(state, 1.15, 28'200, 197'400, 110),
            "[===========>            ]   47%  28,200/60,000  reward 0.812  24.5 K steps/s  172 K "
            "rounds/s  "
            "1.30 s left");
}

TEST(ProgressText, FitsAnyWidthAndGivesUpTheBarFirst) {
  const ProgressState state{28'200, 60'000, .812, 197'400};
  for (std::size_t width = 0; width < 200; ++width) {
    EXPECT_LE(progress_text(state, 1.15, 28'200, 197'400, width).size(), width);
  }
  EXPECT_EQ(progress_text(state, 1.15, 28'200, 197'400, 79),
            " 47%  28,200/60,000  reward 0.812  24.5 K steps/s  172 K rounds/s  1.30 s left");
  EXPECT_EQ(progress_text(state, 1.15, 28'200, 197'400, 70),
            " 47%  reward 0.812  24.5 K steps/s  172 K rounds/s  1.30 s left");
}

TEST(ProgressText, SurvivesTheEnds) {
  EXPECT_THAT(progress_text({0, 100, 0, 0}, 0, 0, 0, 80), HasSubstr("  0%"));
  EXPECT_THAT(progress_text({100, 100, 1, 700}, 2, 100, 700, 100), EndsWith("0 s left"));
  EXPECT_THAT(progress_text({5, 0, 1, 700}, 2, 5, 700, 100), HasSubstr("100%"));
}

TEST(ProgressLine, WritesNothingWhereThereIsNoTerminal) {
  std::ostringstream out;
  FakeClock clock;
  {
    ProgressLine line(out, false, 80, clock.read());
    EXPECT_FALSE(line.due());
    line.update({1, 10, 0, 7});
  }
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressLine, DrawsAtMostTenTimesASecondAndClearsItself) {
  std::ostringstream out;
  FakeClock clock;
  {
    ProgressLine line(out, true, 80, clock.read());
    line.update({0, 1000, 0, 0});
    EXPECT_FALSE(line.due());
    for (std::uint64_t step = 1; step <= 1000; ++step) {
      clock.now += std::chrono::milliseconds(1);
      line.update({step, 1000, .5, 7 * step});
    }
  }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 1 + 10 + 1);
  EXPECT_THAT(text, EndsWith("\r\x1b[K"));
  EXPECT_THAT(text, HasSubstr("1.00 K steps/s"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace sotto::apps
