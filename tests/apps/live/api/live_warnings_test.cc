// What a role warns of while it is ready.
#include "apps/live/service/live_warnings.h"

#include "tests/framework.h"

namespace sotto::apps::live {
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
    const auto warnings = warnings_of(learned_status(learned), 0);
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
  EXPECT_TRUE(warnings_of(unbounded, 0).empty());
}

TEST(LiveWarnings, SayThatAClockWentBack) {
  LiveStatus status = learned_status(1);
  status.clock_ahead = 7'200'000;
  ASSERT_EQ(warnings_of(status, 0).size(), 1u);
  EXPECT_THAT(warnings_of(status, 0)[0].text, ::testing::HasSubstr("the clock of actor went back by 2h"));
}

TEST(LiveWarnings, NameCertificatesThatEnd) {
  constexpr LiveTime day = 24 * 3'600'000;
  LiveStatus status = learned_status(1);
  status.certificate_until = 50 * day;
  status.peers = {{"party 1", PeerState::here, std::nullopt, "", 70 * day},
                  {"party 2", PeerState::away, std::nullopt, "", 100 * day}};
  EXPECT_TRUE(warnings_of({}, 1).empty());
  const auto warnings = warnings_of(status, 20 * day);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].name, "certificate this role");
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("the certificate of this role ends on 1970-02-20"));
  EXPECT_EQ(warnings[1].name, "certificate party 1");
  EXPECT_THAT(warnings[1].text, ::testing::HasSubstr(", in 50 days: docs/live.md says how"));
}

}  // namespace
}  // namespace sotto::apps::live
