// What a role warns of while it is ready.
#include "sotto/apps/bandit/live/service/live_warnings.h"

#include "tests/framework.h"

namespace sotto::apps {
namespace {

LiveStatus learned_status(std::uint64_t learned) {
  LiveStatus status;
  status.role = "actor";
  status.learned = learned;
  status.steps = 1000;
  status.learning_ended = learned == 1000;
  return status;
}

TEST(LiveWarnings, ComeAtTheirShares) {
  const auto name = [](std::uint64_t learned) {
    const auto warnings = warnings_of(learned_status(learned));
    return warnings.empty() ? std::string() : warnings.at(0).name;
  };
  EXPECT_EQ(name(799), "");
  EXPECT_EQ(name(800), "learning-80");
  EXPECT_EQ(name(949), "learning-80");
  EXPECT_EQ(name(950), "learning-95");
  EXPECT_EQ(name(999), "learning-95");
  EXPECT_EQ(name(1000), "learning-ended");
  LiveStatus unbounded = learned_status(999);
  unbounded.steps.reset();
  EXPECT_TRUE(warnings_of(unbounded).empty());
}

TEST(LiveWarnings, SayThatAClockWentBack) {
  LiveStatus status = learned_status(1);
  status.clock_ahead = 7'200'000;
  ASSERT_EQ(warnings_of(status).size(), 1u);
  EXPECT_THAT(warnings_of(status)[0].text, ::testing::HasSubstr("the clock of actor went back by 2h"));
}

}  // namespace
}  // namespace sotto::apps
