#include <fmt/format.h>

#include <sstream>

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
  [[nodiscard]] std::string told_by(const Words& command) {
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
  const std::string of_log = told_by(archive(service, "actor", {"--rewards", rewards.string(), "--out", out("log")}));
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
    const std::string rows = told_by(archive(service, role, {"--events", out("log/events.csv"), "--out", out(role)}));
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

// What a service decided says what another policy would have earned. The arm blue always earns 1, and the service has
// played it as an arm among others, because its own rewards say nothing.
TEST_F(Archives, SayWhatAnotherPolicyWouldHaveEarned) {
  constexpr unsigned events = 1500;
  KeptService service(folder, "shop", [](LiveConfig& config) {
    keep(config);
    config.epsilon = .9;
    config.live.batch_sizes = {1, 256};
  });
  service.start();
  std::string calls;
  for (unsigned event = 1; event <= events; ++event) calls += fmt::format("{{\"event\":\"{:032x}\"}}\n", event);
  const HttpResult told = service.call("actor", "POST", "/v1/decisions:batch", calls);
  ASSERT_EQ(told.status, 200U) << told.body;
  for (json now = service.status("actor"); now["pending"] != 0; now = service.status("actor")) {
    service.process("actor").look_again();
  }
  service.end();
  std::string rewards = "event,reward\n";
  std::istringstream lines(told.body);
  for (std::string line; std::getline(lines, line);) {
    const json answer = json::parse(line);
    rewards += answer["event"].get<std::string>() + (answer["arm"] == "blue" ? ",1\n" : ",0\n");
  }
  const auto file = folder.write("rewards.csv", rewards);
  (void)told_by(archive(service, "actor", {"--rewards", file.string(), "--out", out("log")}));
  Words evaluate{"evaluate", "--log", out("log/log.csv"), "--held-out", "0.8", "--max-norm", "1.5", "--account-epsilon",
                 "5",        "--out", out("value"),       "--json"};
  for (const char* const role : {"party_0", "party_1"}) {
    (void)told_by(archive(service, role, {"--events", out("log/events.csv"), "--out", out(role)}));
    evaluate.insert(evaluate.end(), {"--party", out(std::string(role) + "/rows.csv")});
  }
  const json result = json::parse(told_by(evaluate));
  const json& model = result.at("evaluation").at("policies").at(0);
  EXPECT_EQ(model.at("policy"), "model");
  EXPECT_EQ(model.at("support"), "shown");
  EXPECT_NEAR(model.at("value").at("value"), 1, .25) << "the log earned a third";
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
  expect_refused(archive(service, "actor", of_actor), "since [service] has `archive`");
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
