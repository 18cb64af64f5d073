#include "sotto/apps/o3m/role_report.h"

#include "tests/apps/kit/data/test_files.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

O3mRoleReport passive() {
  O3mRoleReport report;
  report.role = "passive participant 1";
  report.insecure = {"insecure-blocks"};
  report.leakage = {{"active participant", "much"}, {"mask generator", "nothing"}};
  report.rounds = 3;
  report.bytes_sent = 1000;
  report.planned_bytes_sent = 1001;
  report.masking_seconds = 0.125;
  report.peak_memory_bytes = 1 << 20;
  return report;
}

// What comes back is written as it was.
O3mRoleReport written_and_read(const O3mRoleReport& report) {
  const TestFolder folder;
  const auto path = folder.path() / "report.json";
  write_o3m_report(path, report);
  const O3mRoleReport back = read_o3m_report(path);
  write_o3m_report(folder.path() / "again.json", back);
  EXPECT_EQ(slurp(folder.path() / "again.json"), slurp(path));
  return back;
}

TEST(O3mRoleReport, SurvivesItsFile) {
  const O3mRoleReport back = written_and_read(passive());
  EXPECT_EQ(back.role, "passive participant 1");
  EXPECT_EQ(back.leakage, passive().leakage);
  EXPECT_EQ(back.planned_bytes_sent, 1001u);
  EXPECT_EQ(back.peak_memory_bytes, std::uint64_t{1} << 20);
  EXPECT_FALSE(back.average_reward.has_value());
  EXPECT_TRUE(back.arms.empty());
}

TEST(O3mRoleReport, OfTheActiveParticipantKeepsEveryBit) {
  O3mRoleReport report = passive();
  report.arms = {0, 3, 1};
  report.rewards = {0.1, -1e-300, 1.0 / 3};
  report.average_reward = 0.1;
  report.cumulative_regret = 1.0 / 7;
  report.play_seconds = 0.5;
  report.prefetched = true;
  report.stream_seed = ~std::uint64_t{0};
  report.scores = {std::nextafter(1.0, 2.0), -0.0, 5e-324, 1e300, 0.1, 0.2};
  const O3mRoleReport back = written_and_read(report);
  EXPECT_EQ(back.arms, report.arms);
  EXPECT_EQ(back.rewards, report.rewards);
  EXPECT_EQ(back.cumulative_regret, report.cumulative_regret);
  EXPECT_EQ(back.stream_seed, report.stream_seed);
  EXPECT_EQ(back.scores, report.scores);
}

TEST(O3mRoleReport, RefusesWhatIsNone) {
  const TestFolder folder;
  EXPECT_THROW((void)read_o3m_report(folder.path() / "nowhere.json"), InputError);
  for (const char* text : {"", "{", "[]", "{}", "{\"role\": 3}"}) {
    EXPECT_THROW((void)read_o3m_report(folder.put("report.json", text)), InputError) << text;
  }
  O3mRoleReport report = passive();
  report.average_reward = 0;
  report.scores = {1, 2};
  const auto path = folder.path() / "scored.json";
  write_o3m_report(path, report);
  (void)folder.put("scored.json.scores", "short");
  EXPECT_THROW((void)read_o3m_report(path), InputError);
}

}  // namespace
}  // namespace sotto::apps
