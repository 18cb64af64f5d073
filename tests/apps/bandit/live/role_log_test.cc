#include "sotto/apps/bandit/live/service/role_log.h"

#include <chrono>

#include "tests/framework.h"

namespace sotto::apps {
namespace {

using std::chrono::hours;

const net::WallTime today = std::chrono::system_clock::from_time_t(1'800'000'000);

LiveTime in_days(int days) {
  const auto at = today + hours(24 * days);
  return static_cast<LiveTime>(std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count());
}

struct Shown {
  std::vector<std::string> lines;
  RoleLog log{[this](LogLevel level, const std::string& line) { lines.push_back(name_of(level) + (" " + line)); }};
  LiveStatus status;

  Shown() { status.role = "party 0"; }
  std::vector<std::string> after(net::WallTime now = today) {
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
  EXPECT_THAT(shown.after(today + hours(24)), ::testing::IsEmpty());
  const auto warned = shown.after(today + hours(24 * 3));
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_THAT(warned[0], ::testing::StartsWith("warning the certificate of party 1 ends on "));
  EXPECT_THAT(warned[0], ::testing::HasSubstr(", in 59 days"));
  EXPECT_THAT(shown.after(today + hours(24 * 3 + 23)), ::testing::IsEmpty());
  EXPECT_EQ(shown.after(today + hours(24 * 4)).size(), 1U);
  shown.status.certificate_until = in_days(30);
  EXPECT_THAT(shown.after(today + hours(24 * 4)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of this role ends on ")));
  shown.status.certificate_until = in_days(900);
  shown.status.peers[0].certificate_until = in_days(10);
  EXPECT_THAT(shown.after(today + hours(24 * 11)),
              ::testing::ElementsAre(::testing::StartsWith("warning the certificate of party 1 ended on ")));
}

}  // namespace
}  // namespace sotto::apps
