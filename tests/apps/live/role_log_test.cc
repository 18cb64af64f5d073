#include "apps/live/serve/role_log.h"

#include "tests/framework.h"

namespace sotto::apps::live {
namespace {

constexpr LiveTime hour = 3'600'000;
constexpr LiveTime today = 1'800'000'000'000;

constexpr LiveTime in_days(LiveTime days) { return today + 24 * days * hour; }

struct Shown {
  std::vector<std::string> lines;
  RoleLog log{[this](LogLevel level, const std::string& line) { lines.push_back(name_of(level) + (" " + line)); }};
  LiveStatus status;

  Shown() { status.role = "party 0"; }
  std::vector<std::string> after(LiveTime now = today) {
    lines.clear();
    log.show(status, now);
    return lines;
  }
};

TEST(RoleLog, SaysWhatPeopleDo) {
  Shown shown;
  shown.status.mode = LiveMode::frozen;
  shown.status.snapshots = {{3, {}, 10}};
  EXPECT_THAT(shown.after(), ::testing::IsEmpty()) << "as it was begun";
  shown.status.mode = LiveMode::online;
  shown.status.number = 12;
  EXPECT_THAT(shown.after(), ::testing::ElementsAre("info party 0 is in mode online, no longer frozen, at number 12"));
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
  shown.status.snapshots.push_back({13, {}, 40});
  EXPECT_THAT(shown.after(),
              ::testing::ElementsAre("info party 0 has a copy of the model under number 13, of 40 events"));
  shown.status.snapshots.erase(shown.status.snapshots.begin());
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
}

TEST(RoleLog, SaysWhatARecoveryHasDropped) {
  Shown shown;
  shown.status.dropped = 5;
  EXPECT_THAT(shown.after(), ::testing::IsEmpty()) << "of an earlier process";
  shown.status.dropped = 17;
  OrderEntry& entry = shown.status.recovery.emplace();
  entry.number = 90;
  entry.recovery.snapshot = entry.recovery.actor = true;
  entry.recovery.learned = 40;
  EXPECT_THAT(shown.after(),
              ::testing::ElementsAre("warning party 0 has dropped 12 events in a recovery: they are not learned",
                                     "warning party 0 has recovered at number 90: the model goes back to a copy of 40 "
                                     "events; the actor goes on without its store"));
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
}

TEST(RoleLog, WarnsOnceADayOfCertificatesFrom60Days) {
  Shown shown;
  shown.status.peers = {{"party 1", PeerState::here, std::nullopt, "", in_days(62)}};
  shown.status.certificate_until = in_days(900);
  EXPECT_THAT(shown.after(), ::testing::IsEmpty());
  EXPECT_THAT(shown.after(in_days(1)), ::testing::IsEmpty());
  const auto warned = shown.after(in_days(3));
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_THAT(warned[0], ::testing::StartsWith("warning the certificate of party 1 ends on "));
  EXPECT_THAT(warned[0], ::testing::HasSubstr(", in 59 days"));
  EXPECT_THAT(shown.after(in_days(3) + 23 * hour), ::testing::IsEmpty());
  EXPECT_EQ(shown.after(in_days(4)).size(), 1U);
  shown.status.certificate_until = in_days(30);
  EXPECT_THAT(shown.after(in_days(4)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of this role ends on ")));
  shown.status.certificate_until = in_days(900);
  shown.status.peers[0].certificate_until = in_days(10);
  EXPECT_THAT(shown.after(in_days(11)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of party 1 ended on ")));
}

// Also after it has not held for a while.
TEST(RoleLog, HasEachWarningAsItBeginsAndOnceADay) {
  Shown shown;
  const auto says = ::testing::ElementsAre(::testing::HasSubstr("the clock of party 0 went back by 2h"));
  shown.status.clock_ahead = 2 * hour;
  EXPECT_THAT(shown.after(), says);
  EXPECT_THAT(shown.after(today + 23 * hour), ::testing::IsEmpty());
  EXPECT_THAT(shown.after(in_days(1)), says);
  shown.status.clock_ahead = 0;
  EXPECT_THAT(shown.after(in_days(1) + hour), ::testing::IsEmpty());
  shown.status.clock_ahead = 2 * hour;
  EXPECT_THAT(shown.after(in_days(1) + 2 * hour), says);
}

}  // namespace
}  // namespace sotto::apps::live
