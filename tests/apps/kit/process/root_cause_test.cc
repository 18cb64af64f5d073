#include "sotto/apps/kit/process/root_cause.h"

#include <gtest/gtest.h>

namespace sotto::apps {
namespace {

RoleEnd exited(const std::string& role, int code, const std::string& message) {
  return RoleEnd{role, code, std::nullopt, message, false};
}

TEST(RootCause, NoneWhereAllEndedWell) {
  EXPECT_FALSE(root_cause({}));
  EXPECT_FALSE(root_cause({exited("party 0", 0, ""), exited("actor", 0, "")}));
}

TEST(RootCause, AKilledRoleCountsMoreThanThoseWhoMissIt) {
  const RoleEnd killed{"party 1", std::nullopt, 9, "", false};
  const auto cause = root_cause({exited("party 0", 3, "party 1 was lost in round 12: it left"),
                                 exited("actor", 3, "party 0 reports: party 1 was lost"), killed});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->exit_code(), ExitCode::peer_lost);
  EXPECT_STREQ(cause->what(), "party 1 was killed by signal 9 (Killed) in round 12");
}

TEST(RootCause, ACrashIsAnInternalError) {
  const RoleEnd crashed{"dealer", std::nullopt, 11, "", false};
  const auto cause =
      root_cause({exited("party 1", 3, "the dealer was lost in round 7: it left"), crashed});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->exit_code(), ExitCode::internal);
  EXPECT_NE(std::string(cause->what()).find("the dealer was killed by signal 11"),
            std::string::npos);
  EXPECT_NE(std::string(cause->what()).find("in round 7"), std::string::npos);
}

TEST(RootCause, WhoFailedByItselfCountsMoreThanWhoHeardOfIt) {
  const auto cause = root_cause({exited("actor", 2, "party 1 reports: b.csv:3:2: above its bound"),
                                 exited("party 0", 3, "party 1 was lost in round 3: it left"),
                                 exited("party 1", 2, "b.csv:3:2: above its bound"),
                                 RoleEnd{"dealer", 130, std::nullopt, "interrupted", true}});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->exit_code(), ExitCode::usage);
  EXPECT_STREQ(cause->what(), "party 1: b.csv:3:2: above its bound");
}

TEST(RootCause, AnInterruptThatTheLauncherDidNotSendIsTheCause) {
  const auto cause = root_cause({exited("party 0", 3, "party 1 reports: interrupted"),
                                 exited("party 1", 130, "interrupted")});
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->exit_code(), ExitCode::peer_lost);
  EXPECT_STREQ(cause->what(), "party 1 was interrupted by a signal from outside");
}

TEST(RootCause, ARoleWithoutAMessageIsStillNamed) {
  const auto cause = root_cause({exited("party 0", 70, "")});
  ASSERT_TRUE(cause);
  EXPECT_NE(std::string(cause->what()).find("party 0"), std::string::npos);
}

}  // namespace
}  // namespace sotto::apps
