#include "sotto/apps/kit/program/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace sotto::apps {
namespace {

// In a process of its own: handlers and the flag are those of a whole process.
[[noreturn]] void after(std::initializer_list<int> signals, void (*hang_up_before)(int)) {
  std::signal(SIGHUP, hang_up_before);
  catch_interrupts();
  for (const int number : signals) ::raise(number);
  ::_exit(interrupted() ? 130 : 0);
}

TEST(Interrupt, EachOfThemRaisesTheFlag) {
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    EXPECT_EXIT(after({number}, SIG_DFL), ::testing::ExitedWithCode(130), "") << number;
  }
}

TEST(Interrupt, ASecondOneEndsTheProcessAtOnce) {
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(after({number, number}, SIG_DFL), ::testing::KilledBySignal(number), "") << number;
  }
}

// The system and the shell each say that a terminal is gone.
TEST(Interrupt, ATerminalMayHangUpTwice) {
  EXPECT_EXIT(after({SIGHUP, SIGHUP}, SIG_DFL), ::testing::ExitedWithCode(130), "");
}

TEST(Interrupt, AHangUpThatIsIgnoredStaysIgnored) {
  EXPECT_EXIT(after({SIGHUP}, SIG_IGN), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sotto::apps
