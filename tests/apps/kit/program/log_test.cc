#include "apps/kit/program/log.h"

#include "tests/apps/support.h"
#include "tests/regex.h"

namespace sotto::apps {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

std::string written(LogLevel most) {
  CaptureStderr();
  const Log log(most);
  log.error("one");
  log.warning("two");
  log.info("three");
  log.debug("four");
  return GetCapturedStderr();
}

TEST(Log, LinesHaveTimeAndLevel) {
  const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )";
  EXPECT_TRUE(matches(written(LogLevel::debug),
                      time + "error one\n" + time + "warning two\n" + time + "info three\n" + time + "debug four\n"));
}

TEST(Log, LessGraveLinesAreLeftOut) {
  const std::array<std::size_t, 4> expected{1, 2, 3, 4};
  for (std::size_t i = 0; i < all_log_levels.size(); ++i) {
    const std::string text = written(all_log_levels.at(i));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(expected.at(i)));
    for (const LogLevel level : all_log_levels) {
      EXPECT_EQ(Log(all_log_levels.at(i)).shows(level), level <= all_log_levels.at(i));
      EXPECT_EQ(text.find(std::string("Z ") + name_of(level) + ' ') != std::string::npos,
                level <= all_log_levels.at(i));
    }
  }
}

// No text of others moves the cursor or begins a line of its own.
TEST(Log, ALineIsOneLine) {
  CaptureStderr();
  Log().info("a\nb\x1b[2J");
  const std::string text = GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Log, TimesAreOfUtc) {
  EXPECT_EQ(log_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(log_time(1'795'421'571'402), "2026-11-23T08:12:51.402Z");
  EXPECT_EQ(log_time(951'782'400'007), "2000-02-29T00:00:00.007Z");
}

TEST(Log, LevelsHaveNames) {
  for (const LogLevel level : all_log_levels) EXPECT_EQ(log_level_of(name_of(level)), level);
  EXPECT_FALSE(log_level_of("").has_value());
  EXPECT_FALSE(log_level_of("trace").has_value());
}

}  // namespace
}  // namespace sotto::apps
