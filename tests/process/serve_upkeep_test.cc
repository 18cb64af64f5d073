// What people do to a decision service over its life: copies of the model, backups, lost stores, another key, a service
// that begins from an earlier one. The roles are processes.
#include <array>
#include <cmath>
#include <csignal>

#include "sotto/apps/bandit/live/engine/live_programs.h"
#include "sotto/apps/bandit/live/service/store_identity.h"
#include "sotto/apps/kit/http/server.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/net/transport/tls/identity.h"
#include "tests/process/service_over_http.h"

namespace sotto::testing {
namespace {

using apps::LiveConfig;
using KeptWords = std::vector<std::uint64_t>;

const Words kept_roles{"party_0", "party_1", "dealer", "actor", "rewarder"};

// Each event has the parties' rows of defaults.
class KeptService {
 public:
  KeptService(const TestFolder& folder, const std::string& name, const std::function<void(LiveConfig&)>& own = {})
      : folder_(folder), name_(name) {
    for (LiveConfig& config : apps::local_service(service_of_default_rows(), folder.path())) {
      const std::string role = config.role_key();
      config.state = folder.path() / (name + "-" + role);
      if (config.role_word == "party") config.columns = columns("x,-1,1,0.3\ny,-1,1,0.2\n");
      if (own) own(config);
      configs_.emplace(role, std::move(config));
    }
  }
  ~KeptService() { end(); }
  KeptService(const KeptService&) = delete;
  KeptService& operator=(const KeptService&) = delete;

  [[nodiscard]] LiveConfig& config(const std::string& role) { return configs_.at(role); }
  [[nodiscard]] fs::path columns(const std::string& rows) const {
    return folder_.write(name_ + std::to_string(rows.size()) + ".csv", "name,low,high,default\n" + rows);
  }
  // Written as it is now.
  [[nodiscard]] fs::path config_file(const std::string& role) const {
    return folder_.write(name_ + "-" + role + ".toml", to_toml(configs_.at(role)));
  }
  [[nodiscard]] Words command(const std::string& role, const Words& flags) const {
    return joined({"serve", "--config", config_file(role).string()}, flags);
  }
  // The roles, each with its flags, until they are ready.
  void start(const std::map<std::string, Words>& flags = {}) {
    for (const std::string& role : kept_roles) {
      const auto own = flags.find(role);
      processes_[role] =
          std::make_unique<SottoProcess>(folder_, command(role, own == flags.end() ? Words{} : own->second));
    }
    for (const std::string& role : kept_roles) EXPECT_EQ(call(role, "GET", "/readyz").status, 200U) << role;
  }
  void end() {
    for (auto& [role, process] : processes_) process->signal(SIGTERM);
    for (auto& [role, process] : processes_) EXPECT_EQ(process->wait(), 0) << process->err();
    processes_.clear();
  }
  [[nodiscard]] SottoProcess& process(const std::string& role) { return *processes_.at(role); }
  void end_one(const std::string& role) {
    process(role).signal(SIGTERM);
    EXPECT_EQ(process(role).wait(), 0) << process(role).err();
  }
  void start_one(const std::string& role, const Words& flags = {}) {
    processes_[role] = std::make_unique<SottoProcess>(folder_, command(role, flags));
    for (const std::string& each : kept_roles) EXPECT_EQ(call(each, "GET", "/readyz").status, 200U) << each;
  }
  // The role reads its config as it is now.
  void reload(const std::string& role, const std::string& says) {
    (void)config_file(role);
    process(role).signal(SIGHUP);
    process(role).wait_for(says);
  }
  // Runs a command of a role that does not run.
  [[nodiscard]] std::string told(const std::string& role, const Words& flags) const {
    SottoProcess process(folder_, command(role, flags));
    EXPECT_EQ(process.wait(), 0) << process.err();
    return process.out();
  }

  [[nodiscard]] HttpResult call(const std::string& role, const std::string& method, const std::string& path,
                                const std::string& body = "") {
    return ask_until_told(io_, configs_.at(role), *processes_.at(role), method, path, body);
  }
  [[nodiscard]] json status(const std::string& role) { return json::parse(call(role, "GET", "/v1/status").body); }
  [[nodiscard]] HttpResult decide(unsigned event) {
    return call("actor", "POST", "/v1/decisions", R"({"event":")" + id_of(event) + "\"}");
  }
  // Decides them, and waits until they are learned.
  void learn(unsigned first, unsigned count) {
    // What a status says may be of the moment before the last answer.
    const std::uint64_t learned = status("actor")["learned"].get<std::uint64_t>() + count;
    for (unsigned event = first; event < first + count; ++event) {
      const HttpResult told = decide(event);
      ASSERT_EQ(told.status, 200U) << told.body;
      told_[event] = told.body;
    }
    for (json now = status("actor"); now["pending"] != 0 || now["learned"] != learned; now = status("actor")) {
      processes_.at("actor")->look_again();
    }
  }
  void expect_told_stays_told() {
    for (const auto& [event, body] : told_) EXPECT_EQ(decide(event).body, body);
  }

  [[nodiscard]] std::string log(const std::string& role) const { return processes_.at(role)->err(); }
  [[nodiscard]] json answer_of(unsigned event) const { return json::parse(told_.at(event)); }
  // The code and the type of a problem.
  [[nodiscard]] std::string problem(const std::string& role, const std::string& method, const std::string& path,
                                    const std::string& body) {
    const HttpResult told = call(role, method, path, body);
    return std::to_string(told.status) + " " + (told.body.empty() ? "" : json::parse(told.body).value("type", ""));
  }
  [[nodiscard]] static std::string reward_of(unsigned event) { return "/v1/events/" + id_of(event) + "/reward"; }

  // A and b of all parties together, of roles that do not run.
  struct Sums {
    KeptWords gram, targets;
  };
  [[nodiscard]] Sums sums() const {
    Sums sums;
    for (const char* const role : {"party_0", "party_1"}) {
      const LiveConfig& own = configs_.at(role);
      const apps::LiveStore store(own.state, apps::live_identity(own), apps::live_key(own));
      std::vector<std::byte> newest;
      store.each(apps::LiveTable::models, [&](const apps::RowKey&, const apps::LiveRow& row) {
        newest = row;
        return true;
      });
      ByteReader in(newest);
      add(sums.gram, in.numbers<std::uint64_t>());
      (void)in.numbers<std::uint64_t>();
      add(sums.targets, in.numbers<std::uint64_t>());
    }
    return sums;
  }
  [[nodiscard]] apps::BatchPlan plan(std::vector<std::size_t> columns) const {
    const LiveConfig& any = configs_.at("actor");
    return plan_batches(apps::live_parameters(any, std::move(columns)), any.live.largest_batch(), false);
  }

 private:
  static std::string id_of(unsigned event) {
    const std::string digits = std::to_string(event);
    return std::string(32 - digits.size(), '0') + digits;
  }
  static void add(KeptWords& to, const KeptWords& words) {
    to.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) to[i] += words[i];
  }

  const TestFolder& folder_;
  std::string name_;
  net::Io io_;
  std::map<std::string, LiveConfig> configs_;
  std::map<std::string, std::unique_ptr<SottoProcess>> processes_;
  std::map<unsigned, std::string> told_;
};

Words joined_words(const Words& files) { return joined({"model"}, files); }

// The place of (i, j), i <= j, in the upper triangle of a d x d matrix, row by row.
std::size_t at_triangle(std::size_t d, std::size_t i, std::size_t j) {
  std::size_t entry = j - i;
  for (std::size_t row = 0; row < i; ++row) entry += d - row;
  return entry;
}

class ServeUpkeep : public InFolder {};

// A party's disk breaks: its backup comes back, and the model goes back to the copy in it.
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
  // With the flags left on it is not done again.
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

// The others read whom they trust again, and are the same processes to the end.
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
  // Each forgets the old one when it likes: here only one has, and the roles still fit together.
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
  // What cannot be is refused, and the trust of before holds.
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

// Of roles that run: the model goes back to a copy of a party's store that was made beside its use.
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

// Each party writes its share of one copy, one of them from a backup; what comes out is the model of that copy.
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
  const apps::BatchPlan plan = service.plan({2, 2});
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

// Arms more, one less, and a column of party 1 more.
TEST_F(ServeUpkeep, AServiceBeginsFromAnEarlierOne) {
  KeptService::Sums then;
  std::map<std::string, Words> from;
  {
    KeptService before(folder, "old");
    before.start();
    before.learn(1, 6);
    EXPECT_EQ(before.call("actor", "POST", "/v1/drain").status, 200U);
    before.end();
    then = before.sums();
    for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", before.config_file(role).string()};
  }
  KeptService after(folder, "new", [](LiveConfig& config) {
    config.live.arms = {"blue", "white", "red"};
    config.live.added_features = {{1, 1}};
  });
  after.config("party_1").columns = after.columns("x,-1,1,0.3\nnew,-1,1,0.1\ny,-1,1,0.2\n");
  after.start(from);
  EXPECT_EQ(after.status("actor")["number"], 1);
  after.end();
  const KeptService::Sums now = after.sums();
  EXPECT_THAT(then.targets, ::testing::Contains(::testing::Ne(0u))) << "rewards were learned";
  const unsigned bits = after.plan({2, 3}).context_bits;
  using Place = std::optional<std::size_t>;
  const std::vector<Place> arm_was{2, {}, 0};
  const std::vector<Place> was{0, 1, 2, {}, 3};
  for (std::size_t arm = 0; arm < 3; ++arm) {
    const Place& old_arm = arm_was[arm];
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(now.targets.at(arm * 5 + i), old_arm && was[i] ? then.targets.at(*old_arm * 4 + *was[i]) : 0);
      for (std::size_t j = i; j < 5; ++j) {
        const std::uint64_t fresh = i == j ? std::uint64_t{1} << (2 * bits) : 0;
        EXPECT_EQ(now.gram.at(arm * 15 + at_triangle(5, i, j)),
                  old_arm && was[i] && was[j] ? then.gram.at(*old_arm * 10 + at_triangle(4, *was[i], *was[j])) : fresh);
      }
    }
  }
  // Until it has learned, its model is that of before: it is neither exported nor begun from.
  const auto refused = [&](const Words& words, const std::string& says) {
    SottoProcess process(folder, words);
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr(says));
  };
  const fs::path share = folder.path() / "share";
  refused(after.command("party_0", {"--export-share", share.string()}), "or of the service before");
  KeptService third(folder, "third");
  refused(third.command("party_0", {"--from", after.config_file("party_0").string()}),
          "has learned nothing since it took the model of another");
  // It goes on, also with the flag left on.
  after.start(from);
  after.learn(100, 4);
  after.expect_told_stays_told();
}

// That so many of its 20 events are learned, in page, metrics, readiness and log.
void expect_warning(KeptService& service, unsigned learned, const std::string& says) {
  for (const std::string role : {"actor", "party_0", "party_1", "rewarder"}) {
    SCOPED_TRACE(role);
    const json status = service.status(role);
    EXPECT_EQ(status["learned"], learned);
    EXPECT_EQ(status["steps"], 20);
    ASSERT_EQ(status["warnings"].size(), says.empty() ? 0u : 1u);
    const std::string metrics = service.call(role, "GET", "/metrics").body;
    EXPECT_THAT(metrics, HasSubstr("\nsotto_learned_events " + std::to_string(learned) + "\n"));
    EXPECT_THAT(metrics, HasSubstr("\nsotto_steps 20\n"));
    EXPECT_THAT(metrics, HasSubstr(learned == 20 ? "\nsotto_learning_ended 1\n" : "\nsotto_learning_ended 0\n"));
    const std::string ready = service.call(role, "GET", "/readyz").body;
    if (says.empty()) {
      EXPECT_EQ(ready, R"({"ready":true})");
      continue;
    }
    EXPECT_THAT(status["warnings"][0].get<std::string>(), HasSubstr(says));
    EXPECT_THAT(json::parse(ready)["detail"].get<std::string>(), HasSubstr(says));
    EXPECT_THAT(service.call(role, "GET", "/").body, HasSubstr("status.warnings"));
    service.process(role).wait_for(says);
  }
}

// It learns 20 events and says so before and after; then another one with more steps goes on from its model, whose sums
// have fewer bits there.
TEST_F(ServeUpkeep, AServiceThatHasLearnedAllGoesOnWithMoreSteps) {
  KeptService::Sums then;
  std::map<std::string, Words> from;
  {
    KeptService before(folder, "old", [](LiveConfig& config) { config.steps = 20; });
    before.start();
    before.learn(1, 15);
    expect_warning(before, 15, "");
    before.learn(16, 1);
    expect_warning(before, 16, "learned 16 of at most 20 events (steps in [run]), 80% or more");
    before.learn(17, 3);
    expect_warning(before, 19, "95% or more");
    before.learn(20, 1);
    expect_warning(before, 20, "it decides and learns no more");
    // It decides on.
    EXPECT_EQ(before.decide(21).status, 200U);
    while (before.status("actor")["mode"] != "frozen") continue;
    EXPECT_EQ(before.decide(22).status, 200U);
    for (const unsigned event : {21, 22}) {
      EXPECT_EQ(before.problem("rewarder", "POST", KeptService::reward_of(event), R"({"value":1})"),
                "410 urn:sotto:not-learned");
    }
    EXPECT_EQ(before.problem("rewarder", "POST", KeptService::reward_of(3), R"({"value":1})"), "410 urn:sotto:late");
    EXPECT_EQ(before.problem("actor", "PUT", "/v1/mode", R"({"mode":"online"})"), "409 urn:sotto:learning-ended");
    before.end();
    then = before.sums();
    for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", before.config_file(role).string()};
  }
  KeptService after(folder, "new", [](LiveConfig& config) { config.steps = 100'000'000; });
  after.start(from);
  EXPECT_EQ(after.status("actor")["learned"], 20);
  EXPECT_EQ(after.status("actor")["mode"], "online");
  after.learn(100, 1);
  const auto arm = after.answer_of(100)["arm_index"].get<std::size_t>();
  after.end();
  const KeptService::Sums now = after.sums();
  const unsigned bits = after.plan({2, 2}).context_bits;
  constexpr unsigned old_bits = 20;
  ASSERT_LT(bits, old_bits);
  const std::array<double, 4> x{.3, .2, .3, .2};  // with a reward of 1
  const auto expect_near = [](std::uint64_t word, std::uint64_t added, std::uint64_t old_word, unsigned cut) {
    const auto kept = static_cast<double>(static_cast<std::int64_t>(word - added));
    EXPECT_LT(
        std::abs(kept - std::ldexp(static_cast<double>(static_cast<std::int64_t>(old_word)), -static_cast<int>(cut))),
        1);
  };
  for (std::size_t a = 0; a < 3; ++a) {
    const auto added = [&](double value) { return a == arm ? encode(value, bits) : 0; };
    for (std::size_t i = 0; i < 4; ++i) {
      expect_near(now.targets.at(a * 4 + i), added(x.at(i)), then.targets.at(a * 4 + i), old_bits - bits);
      for (std::size_t j = i; j < 4; ++j) {
        const std::size_t at = a * 10 + at_triangle(4, i, j);
        expect_near(now.gram.at(at), added(x.at(i)) * added(x.at(j)), then.gram.at(at), 2 * (old_bits - bits));
      }
    }
  }
}

// The joint contexts of all runs of files here: of even and of odd rows. Both parties have the same columns.
const std::array<std::array<double, 4>, 2> rows_of_files{{{.5, .1, .5, .1}, {-.2, .4, -.2, .4}}};

// How often an arm was learned with even and with odd rows, and with a reward of 1.
struct LearnedRows {
  std::array<double, 2> events{}, rewards{};
};

// Out of the first two entries of b, and of the diagonal of A. All other entries must be what follows.
LearnedRows learned_rows(const KeptService::Sums& sums, const apps::BatchPlan& plan, std::size_t arm) {
  const auto& [even, odd] = rows_of_files;
  const auto gram = [&](std::size_t i, std::size_t j) {
    return decode(sums.gram.at(arm * 10 + at_triangle(4, i, j)), 2 * plan.context_bits) - (i == j ? 1 : 0);
  };
  const auto target = [&](std::size_t i) {
    return decode(sums.targets.at(arm * 4 + i), plan.context_bits + plan.reward_bits);
  };
  // The whole numbers n, m of n a + m b = x, n c + m d = y.
  const auto solved = [](double a, double b, double c, double d, double x, double y) {
    const double by = a * d - b * c;
    return std::array<double, 2>{std::round((x * d - b * y) / by), std::round((a * y - x * c) / by)};
  };
  LearnedRows rows;
  rows.events = solved(even[0] * even[0], odd[0] * odd[0], even[1] * even[1], odd[1] * odd[1], gram(0, 0), gram(1, 1));
  rows.rewards = solved(even[0], odd[0], even[1], odd[1], target(0), target(1));
  constexpr double rounding = 1e-3;  // of contexts; one event more or less moves each entry by ten times that
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(target(i), rows.rewards[0] * even.at(i) + rows.rewards[1] * odd.at(i), rounding);
    for (std::size_t j = i; j < 4; ++j) {
      EXPECT_NEAR(gram(i, j), rows.events[0] * even.at(i) * even.at(j) + rows.events[1] * odd.at(i) * odd.at(j),
                  rounding);
    }
  }
  return rows;
}

// What a service has learned, arm by arm, whose parties begin from that run. It goes on from it.
std::vector<LearnedRows> begun_from_run(const TestFolder& folder, const Words& words, unsigned learned) {
  const fs::path out = folder.path() / "out";
  SottoProcess run(folder, joined(words, {"--out", out.string()}));
  EXPECT_EQ(run.wait(), 0) << run.err();
  KeptService service(folder, "shop");
  std::map<std::string, Words> from;
  for (const std::string role : {"party_0", "party_1"}) from[role] = {"--from", (out / "state" / role).string()};
  service.start(from);
  EXPECT_EQ(service.status("party_0")["snapshots"].back()["learned"], learned);
  service.end();
  const KeptService::Sums sums = service.sums();
  std::vector<LearnedRows> rows;
  for (std::size_t arm = 0; arm < 3; ++arm) rows.push_back(learned_rows(sums, service.plan({2, 2}), arm));
  service.start(from);
  service.learn(1, 4);
  service.end();
  EXPECT_NE(service.sums().gram, sums.gram);
  EXPECT_NE(service.sums().targets, sums.targets);
  return rows;
}

TEST_F(ServeUpkeep, AServiceBeginsFromARunOfFiles) {
  write_small_run(folder, "0.5,0.1", "-0.2,0.4", 3, 60);
  const auto arms = begun_from_run(folder, small_run(words_of("--steps 240 --batch 8 --checkpoint-every 80")), 240);
  std::array<double, 2> events{};
  double rewards = 0;
  for (const LearnedRows& arm : arms) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      EXPECT_GE(arm.events.at(kind), arm.rewards.at(kind));
      EXPECT_GE(arm.rewards.at(kind), 0);
      events.at(kind) += arm.events.at(kind);
      rewards += arm.rewards.at(kind);
    }
  }
  EXPECT_EQ(events, (std::array<double, 2>{120, 120}));
  const json run = json::parse(contents(folder.path() / "out" / "run.json"));
  EXPECT_EQ(rewards, std::round(240 * run["average_reward"].get<double>()));
}

TEST_F(ServeUpkeep, AServiceBeginsFromWhatALogTaught) {
  write_small_run(folder, "0.5,0.1", "-0.2,0.4", 3, 60);
  std::string log = "arm,reward\n";
  for (int event = 0; event < 60; ++event) log += std::to_string(event % 3) + "," + std::to_string(event % 2) + "\n";
  folder.write("log.csv", log);
  const Words words = words_of("bandit --party a.csv --party b.csv --log log.csv --max-norm 1");
  for (const LearnedRows& arm : begun_from_run(folder, words, 60)) {
    EXPECT_EQ(arm.events, (std::array<double, 2>{10, 10}));
    EXPECT_EQ(arm.rewards, (std::array<double, 2>{0, 10}));
  }
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
