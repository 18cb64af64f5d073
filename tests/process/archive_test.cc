#include "apps/kit/files/best_bits.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "tests/process/kept_service.h"

namespace sotto::testing {

using namespace sotto::apps::live;
namespace {

class Archives : public InFolder {
 protected:
  static void keep(LiveConfig& config) {
    config.epsilon = .4;
    config.live.archive = config.live.remember;
  }
  [[nodiscard]] Words archive(KeptService& service, const std::string& role, const Words& flags) {
    return joined({"archive", "--config", service.config_file(role).string()}, flags);
  }
  [[nodiscard]] std::string told(const Words& command) {
    SottoProcess process(folder, command);
    EXPECT_EQ(process.wait(), 0) << process.err();
    return process.out();
  }
  void expect_refused(const Words& command, const std::string& says) {
    SottoProcess process(folder, command);
    EXPECT_EQ(process.wait(), 2) << process.out();
    EXPECT_THAT(process.err(), HasSubstr(says));
    EXPECT_THAT(process.err(), Not(HasSubstr("\n\n")));
  }
  [[nodiscard]] std::string out(const std::string& name) const { return (folder.path() / name).string(); }
};

TEST_F(Archives, GiveTheLogAndTheRowsOfEachParty) {
  KeptService service(folder, "shop", keep);
  service.start();
  service.learn(1, 12);
  service.end();
  service.start();  // the archive is in the stores, whose logs are read now
  service.learn(20, 8);
  service.end();
  const std::string rewarded = service.answer_of(3)["event"];
  const auto rewards = folder.write("rewards.csv", "event,reward\n" + rewarded + ",0.5\n");
  const std::string of_log = told(archive(service, "actor", {"--rewards", rewards.string(), "--out", out("log")}));
  EXPECT_THAT(of_log,
              AllOf(HasSubstr("log.csv (20 events)"), HasSubstr("19 events had none and got default_reward, 1")));
  const apps::Table log = apps::read_csv(folder.path() / "log/log.csv", apps::Header::required,
                                         [](std::string_view name) { return name == "id" || name == "arm_name"; });
  ASSERT_EQ(log.rows, 20u);
  for (std::size_t row = 0; row < log.rows; ++row) {
    EXPECT_NEAR(log.row(row)[4], .6 + .4 / 3, 1e-9);
    EXPECT_NEAR(log.row(row)[5], .4 / 3, 1e-9);
  }
  std::vector<apps::BestBits> bits;
  std::vector<std::string> orders;
  for (const char* const role : {"party_0", "party_1"}) {
    const std::string rows = told(archive(service, role, {"--events", out("log/events.csv"), "--out", out(role)}));
    EXPECT_THAT(rows, AllOf(HasSubstr("rows.csv (20 events, with this party's shares"),
                            HasSubstr("20 events were decided with the default row"), HasSubstr("subjects  none")));
    const fs::path file = folder.path() / role / "rows.csv";
    EXPECT_EQ(apps::read_csv(file).rows, 20u);
    bits.push_back(apps::read_best_bits(file).value());
    orders.push_back(apps::read_order(file).value());
  }
  EXPECT_EQ(bits[0].id, bits[1].id);
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(bits[0].shares.size(), 20u);
}

TEST_F(Archives, AreRefusedInOneLine) {
  KeptService service(folder, "shop");
  service.start();
  service.learn(1, 3);
  const auto rewards = folder.write("rewards.csv", "event,reward\n");
  const Words of_actor{"--rewards", folder.write("some.csv", "event,reward\n" + std::string(32, '1') + ",1\n").string(),
                       "--out", out("log")};
  SottoProcess busy(folder, archive(service, "actor", of_actor));
  EXPECT_NE(busy.wait(), 0);
  EXPECT_THAT(busy.err(), HasSubstr("another process uses this store"));
  service.end();
  expect_refused(archive(service, "actor", of_actor), "since `archive` was set in [service]");
  expect_refused(archive(service, "actor", {"--out", out("log")}), "--rewards");
  expect_refused(archive(service, "actor", {"--rewards", rewards.string(), "--out", out("log")}), "rewards.csv:1");
  expect_refused(archive(service, "party_0", {"--out", out("rows")}), "--events");
  const std::string event = service.answer_of(1)["event"];
  const auto events = folder.write("events.csv", "event\n" + event + "\n");
  expect_refused(archive(service, "party_0", {"--events", events.string(), "--out", out("rows")}),
                 "party 0 has no archived row for 1 of these 1 event: [service] has no `archive`");
  expect_refused(archive(service, "dealer", of_actor), "only the actor and the parties have archives");
  EXPECT_FALSE(fs::exists(out("rows")));
}

}  // namespace
}  // namespace sotto::testing
