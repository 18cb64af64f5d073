#include "tests/process/kept_service.h"

namespace sotto::testing {

using namespace sotto::apps::live;
namespace {

Words joined_words(const Words& files) { return joined({"model"}, files); }

class ServeUpkeep : public InFolder {};

TEST_F(ServeUpkeep, APartyComesBackFromABackup) {
  KeptService service(folder, "shop");
  service.start();
  service.learn(1, 6);
  const json copy = json::parse(service.call("actor", "POST", "/v1/snapshots").body);
  EXPECT_EQ(service.status("party_1")["snapshots"][0]["number"], copy["number"]);
  EXPECT_EQ(service.status("party_0")["snapshots"][0]["id"], copy["id"]);
  service.end();
  const KeptService::Sums then = service.sums();
  const fs::path backup = folder.path() / "backup";
  EXPECT_THAT(service.told("party_1", {"--backup", backup.string()}), HasSubstr("the store is copied to"));
  service.start();
  service.learn(7, 3);
  service.end();
  const fs::path state = service.config("party_1").state;
  fs::remove_all(state);
  fs::rename(backup, state);
  const Words go_back{"--from-snapshot", std::to_string(copy["number"].get<int>())};
  service.start({{"party_0", go_back}, {"party_1", go_back}});
  service.expect_told_stays_told();
  EXPECT_EQ(service.status("actor")["dropped"], 3);
  service.end();
  EXPECT_EQ(service.sums().gram, then.gram);
  EXPECT_EQ(service.sums().targets, then.targets);
  service.start({{"party_0", go_back}, {"party_1", go_back}});
  const json number = service.status("actor")["number"];
  service.learn(20, 2);
  service.expect_told_stays_told();
  service.end();
  service.start({{"party_0", go_back}, {"party_1", go_back}});
  EXPECT_GT(service.status("actor")["number"], number);
  service.end();
  EXPECT_NE(service.sums().gram, then.gram);
}

TEST_F(ServeUpkeep, TheStoresOfAShopAreRebuilt) {
  KeptService service(folder, "shop");
  service.start();
  service.learn(1, 5);
  service.end();
  const KeptService::Sums then = service.sums();
  fs::remove_all(service.config("actor").state);
  fs::remove_all(service.config("rewarder").state);
  const Words both{"--accept-rebuild", "actor", "--accept-rebuild", "rewarder"};
  service.start({{"party_0", both},
                 {"party_1", both},
                 {"actor", {"--rebuild", "--accept-rebuild", "rewarder"}},
                 {"rewarder", {"--rebuild", "--accept-rebuild", "actor"}}});
  const HttpResult known = service.decide(3);
  EXPECT_EQ(known.status, 409U);
  EXPECT_EQ(json::parse(known.body)["type"], "urn:sotto:already-decided");
  service.learn(10, 4);
  service.end();
  EXPECT_NE(service.sums().gram, then.gram);
}

TEST_F(ServeUpkeep, ARoleHasAnotherKey) {
  KeptService service(folder, "shop");
  service.start();
  service.learn(1, 3);
  service.end();
  const fs::path old_key = service.config("party_0").key;
  const fs::path new_key = folder.path() / "new.pem";
  const net::Identity identity = net::Identity::create("party_0");
  identity.write(new_key);
  service.config("party_0").key = new_key;
  for (const std::string& role : kept_roles) service.config(role).trust["party_0"] = identity.fingerprint();
  SottoProcess refused(folder, service.command("party_0", {}));
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.err(), HasSubstr("does not open with the key of party 0"));
  const Words change{"--old-key", old_key.string()};
  EXPECT_THAT(service.told("party_0", change), HasSubstr("is now sealed with the key"));
  EXPECT_THAT(service.told("party_0", change), HasSubstr("was already sealed with the key"));
  service.start();
  service.expect_told_stays_told();
  service.learn(10, 2);
}

TEST_F(ServeUpkeep, ARoleChangesItsKeyWhileTheOthersRun) {
  KeptService service(folder, "shop");
  service.start();
  service.learn(1, 2);
  std::map<std::string, pid_t> pids;
  for (const std::string& role : kept_roles) pids[role] = service.process(role).pid();
  const fs::path old_key = service.config("party_1").key;
  const fs::path new_key = folder.path() / "new.pem";
  const net::Identity identity = net::Identity::create("party_1");
  identity.write(new_key);
  for (const std::string& role : kept_roles) {
    service.config(role).next_trust["party_1"] = identity.fingerprint();
    service.reload(role, "and " + identity.fingerprint() + " for party_1, from the next epoch on");
  }
  service.end_one("party_1");
  service.config("party_1").key = new_key;
  service.config("party_1").trust["party_1"] = identity.fingerprint();
  EXPECT_THAT(service.told("party_1", {"--old-key", old_key.string()}), HasSubstr("is now sealed with the key"));
  service.start_one("party_1");
  service.learn(10, 2);
  service.config("actor").trust["party_1"] = identity.fingerprint();
  service.config("actor").next_trust.clear();
  service.reload("actor", "trusts " + identity.fingerprint() + " for party_1, from the next epoch on");
  service.end_one("party_1");
  service.start_one("party_1");
  service.learn(20, 2);
  service.expect_told_stays_told();
  for (const std::string& role : kept_roles) {
    EXPECT_EQ(service.process(role).pid() == pids.at(role), role != "party_1") << role;
  }
  service.config("dealer").trust["dealer"] = identity.fingerprint();
  service.reload("dealer", "the config is not read again");
}

TEST_F(ServeUpkeep, ACertificateThatEndsIsSaidEverywhere) {
  KeptService service(folder, "shop");
  const net::Identity identity = net::Identity::create("party_1", net::Identity::valid_for_days(30));
  const fs::path key = folder.path() / "short.pem";
  identity.write(key);
  service.config("party_1").key = key;
  for (const std::string& role : kept_roles) service.config(role).trust["party_1"] = identity.fingerprint();
  service.start();
  for (const std::string& role : kept_roles) {
    const std::string whose = role == "party_1" ? "this role" : "party 1";
    service.process(role).wait_for(" warning the certificate of " + whose + " ends on ");
    const json status = service.status(role);
    json until = status["certificate_until_ms"];
    for (const json& peer : status["peers"]) {
      if (role != "party_1" && peer["role"] == "party 1") until = peer["certificate_until_ms"];
    }
    const auto end =
        std::chrono::duration_cast<std::chrono::milliseconds>(identity.certificate().valid_until.time_since_epoch());
    EXPECT_EQ(until, end.count()) << role;
    EXPECT_THAT(service.call(role, "GET", "/metrics").body,
                HasSubstr("sotto_certificate_end_seconds{role=\"party 1\"} " + std::to_string(end.count() / 1000)));
  }
}

TEST_F(ServeUpkeep, APartyComesBackFromABackupOfARunningRole) {
  const fs::path backups = folder.path() / "backups";
  KeptService service(folder, "shop", [&](LiveConfig& config) { config.http_backups = backups / config.role_key(); });
  fs::create_directory(backups);
  service.start();
  service.learn(1, 4);
  const json copy = json::parse(service.call("actor", "POST", "/v1/snapshots").body);
  for (const std::string& role : kept_roles) {
    const HttpResult made = service.call(role, "POST", "/v1/backups", R"({"name":"monday"})");
    EXPECT_EQ(made.status, 200U) << made.body;
    EXPECT_EQ(service.call(role, "POST", "/v1/backups", R"({"name":"monday"})").status, 409U);
    service.process(role).wait_for("the store is copied to the backup monday");
  }
  service.learn(7, 3);
  service.end();
  const fs::path state = service.config("party_1").state;
  fs::remove_all(state);
  fs::rename(backups / "party_1" / "monday", state);
  const Words go_back{"--from-snapshot", std::to_string(copy["number"].get<int>())};
  service.start({{"party_0", go_back}, {"party_1", go_back}});
  service.expect_told_stays_told();
  EXPECT_EQ(service.status("actor")["dropped"], 3);
  service.process("actor").wait_for("has dropped 3 events in a recovery");
  service.process("party_0").wait_for("is started with --from-snapshot");
  service.process("party_0").wait_for("the model goes back to a copy of 4 events");
}

// Each party writes its share of one copy of the model, and one party takes its share from a backup. The shares of both
// parties together give the model of the copy.
TEST_F(ServeUpkeep, TheModelIsExportedByAllPartiesTogether) {
  const fs::path backups = folder.path() / "backups";
  KeptService service(folder, "shop", [&](LiveConfig& config) {
    if (config.role_key() == "party_1") config.http_backups = backups;
  });
  service.start();
  service.learn(1, 5);
  const json copy = json::parse(service.call("actor", "POST", "/v1/snapshots").body);
  EXPECT_EQ(service.call("party_1", "POST", "/v1/backups", R"({"name":"monday"})").status, 200U);
  service.end();
  const KeptService::Sums sums = service.sums();
  service.start();
  service.learn(10, 3);
  const std::string number = std::to_string(copy["number"].get<int>());
  const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
  EXPECT_THAT(service.told("party_1", {"--state", (backups / "monday").string(), "--export-share", file("one")}),
              HasSubstr("its share of the copy under number " + number + ", of 5 events"));
  EXPECT_EQ(service.call("actor", "POST", "/v1/snapshots").status, 200U);
  service.end();
  (void)service.told("party_0", {"--export-share", file("zero"), "--of", number});
  (void)service.told("party_0", {"--export-share", file("later")});
  struct stat status {};
  EXPECT_EQ(::stat(file("zero").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  SottoProcess process(folder, joined_words({file("one"), file("zero")}));
  ASSERT_EQ(process.wait(), 0) << process.err();
  const json model = json::parse(process.out());
  EXPECT_EQ(model["number"], copy["number"]);
  EXPECT_EQ(model["learned"], 5);
  EXPECT_EQ(model["columns"], (json{2, 2}));
  const apps::bandit::BatchPlan plan = service.plan({2, 2});
  for (std::size_t arm = 0; arm < 3; ++arm) {
    const json& one = model["arms"][arm];
    EXPECT_EQ(one["arm"], service.config("actor").live.arms[arm]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(one["targets"][i], decode(sums.targets.at(arm * 4 + i), plan.context_bits + plan.reward_bits));
      double product = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        const auto [low, high] = std::minmax(i, j);
        EXPECT_EQ(one["gram"][i][j], decode(sums.gram.at(arm * 10 + at_triangle(4, low, high)), 2 * plan.context_bits));
        product += one["gram"][i][j].get<double>() * one["weights"][j].get<double>();
      }
      EXPECT_NEAR(product, one["targets"][i].get<double>(), 0.01) << "A w = b";
    }
  }
  const auto refused = [&](const Words& files, const std::string& says) {
    SottoProcess other(folder, joined_words(files));
    EXPECT_EQ(other.wait(), 2);
    EXPECT_THAT(other.err(), HasSubstr(says));
  };
  refused({file("one")}, "the share of party 0 is missing");
  refused({file("one"), file("later")}, "is of another copy of the model");
  refused({file("one"), file("one")}, "is of party 1, as another file is");
  std::string changed = contents(file("zero"));
  changed[changed.size() / 2] ^= 1;
  refused({file("one"), folder.write("changed", changed).string()}, "is no share of a model");
}

TEST_F(ServeUpkeep, FlagsAreForTheRolesThatTheyConcern) {
  KeptService service(folder, "shop");
  const auto refused = [&](const std::string& role, const Words& flags) {
    SottoProcess process(folder, service.command(role, flags));
    EXPECT_EQ(process.wait(), 2);
    return process.err();
  };
  EXPECT_THAT(refused("actor", {"--from-snapshot", "3"}), HasSubstr("--from-snapshot: is for the parties"));
  EXPECT_THAT(refused("party_0", {"--rebuild"}), HasSubstr("--rebuild: is for the actor or the rewarder"));
  EXPECT_THAT(refused("dealer", {"--accept-rebuild", "actor"}), HasSubstr("is for parties, actor and rewarder"));
  EXPECT_THAT(refused("party_0", {"--accept-rebuild", "dealer"}), HasSubstr("expected actor or rewarder"));
  EXPECT_THAT(refused("party_0", {"--accept-rollback"}), HasSubstr("--accept-rollback: is for the dealer"));
  EXPECT_THAT(refused("rewarder", {"--from", service.config_file("actor").string()}), HasSubstr("is for the parties"));
  EXPECT_THAT(refused("party_0", {"--from", service.config_file("party_1").string()}),
              HasSubstr("expected the config of party 0"));
  EXPECT_THAT(refused("party_0", {"--from-snapshot", "3"}), HasSubstr("this store has no such copy of the model"));
}

}  // namespace
}  // namespace sotto::testing
