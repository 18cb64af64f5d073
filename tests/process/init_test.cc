// From `sotto init` to a run over TLS, by the steps that its READMEs name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/role_report.h"
#include "sotto/net/transport/tls/identity.h"
#include "tests/process/ports.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

const std::vector<std::string> roles{"dealer", "party_0", "party_1", "actor"};
constexpr const char* seed = "11";

// A folder with what the roles have, each of which is elsewhere in a real run.
class Trial {
 public:
  Trial() {
    std::string rows = "a,b\n";
    std::string labels = "label\n";
    for (int row = 0; row < 30; ++row) {
      rows += row % 2 == 0 ? "0.5,0.1\n" : "-0.2,0.4\n";
      labels += std::to_string(row % 2) + "\n";
    }
    options_.parties = {folder_.write("a.csv", rows), folder_.write("b.csv", rows)};
    options_.environment = folder_.write("labels.csv", labels);
    options_.run.steps = 40;
    options_.run.max_norm = 1;
    options_.run.reveal_model = true;
    options_.run.insecure_seed = std::stoull(seed);
    reference_run_ = apps::local_run_config(options_, apps::read_local_inputs(options_), 0);
  }

  [[nodiscard]] int sotto(const std::vector<std::string>& words) {
    SottoProcess process(folder_, words);
    const int code = process.wait();
    EXPECT_EQ(code, 0) << process.error();
    output_ = process.out();
    return code;
  }
  [[nodiscard]] const std::string& output() const { return output_; }

  // On ports of its own, with the data put where the configs expect it.
  void init(const std::vector<std::string>& flags) {
    std::vector<std::string> words{"init", "--parties", "2",   "--steps",    "40", "--arms",
                                   "2",    "--out",     "set", "--max-norm", "1",  "--reveal-model"};
    words.insert(words.end(), flags.begin(), flags.end());
    for (const char* role : {"dealer", "party_0", "party_1"}) {
      words.insert(words.end(), {"--host", role + ("=" + Ports::take())});
    }
    ASSERT_EQ(sotto(words), 0);
    fs::copy(options_.parties[0], of("party_0") / "data.csv");
    fs::copy(options_.parties[1], of("party_1") / "data.csv");
    fs::copy(options_.environment, of("actor") / "environment.csv");
  }

  // Every role of a set, with the randomness of the reference.
  std::map<std::string, apps::RoleReport> start_all() {
    const std::vector<std::string> repeatable{"--set", "run.session=" + reference_run_.session, "--set",
                                              "run.insecure_seed=" + std::to_string(*reference_run_.insecure_seed)};
    std::map<std::string, std::unique_ptr<SottoProcess>> processes;
    for (const std::string& role : roles) {
      std::vector<std::string> words{role.substr(0, role.find('_')), "--config", config(role).string()};
      words.insert(words.end(), repeatable.begin(), repeatable.end());
      processes[role] = std::make_unique<SottoProcess>(folder_, words);
    }
    std::map<std::string, apps::RoleReport> reports;
    for (auto& [role, process] : processes) {
      EXPECT_EQ(process->wait(), 0) << role << ": " << process->error();
      reports[role] = apps::read_role_report(of(role) / "report.json");
    }
    return reports;
  }

  [[nodiscard]] nlohmann::json reference() {
    EXPECT_EQ(sotto({"bandit", "--party", "a.csv", "--party", "b.csv", "--environment", "labels.csv", "--steps", "40",
                     "--max-norm", "1", "--reveal-model", "--json", "--insecure-seed", seed}),
              0);
    return nlohmann::json::parse(output_);
  }

  [[nodiscard]] fs::path of(const std::string& role) const { return folder_.path() / "set" / role; }
  [[nodiscard]] fs::path config(const std::string& role) const { return of(role) / "config.toml"; }
  [[nodiscard]] fs::path key(const std::string& role) const { return of(role) / "key.pem"; }

 private:
  TestFolder folder_;
  apps::BanditOptions options_;
  apps::BanditSettings reference_run_;
  std::string output_;
};

void expect_reference(Trial& trial, const std::map<std::string, apps::RoleReport>& reports) {
  const nlohmann::json reference = trial.reference();
  EXPECT_EQ(reports.at("actor").average_reward, reference.at("average_reward").get<double>());
  EXPECT_EQ(nlohmann::json(*reports.at("party_0").weights), reference.at("weights"));
  EXPECT_EQ(nlohmann::json(*reports.at("party_0").inverse_matrices), reference.at("inverse_matrices"));
}

TEST(Init, LeadsFromKeysOfTheRolesOwnToARun) {
  Trial trial;
  trial.init({});
  std::map<std::string, std::string> fingerprints;
  for (const std::string& role : roles) {
    ASSERT_EQ(trial.sotto({"keys", "new", "--out", trial.key(role).string(), "--name", role}), 0);
    ASSERT_EQ(trial.sotto({"keys", "show", trial.key(role).string()}), 0);
    fingerprints[role] = net::Identity::read(trial.key(role)).fingerprint();
    EXPECT_NE(trial.output().find(fingerprints[role]), std::string::npos) << trial.output();
  }
  for (const std::string& role : roles) {
    for (const auto& [peer, fingerprint] : fingerprints) {
      ASSERT_EQ(trial.sotto({"keys", "trust", "--config", trial.config(role).string(), peer, fingerprint}), 0);
    }
  }
  const auto reports = trial.start_all();
  EXPECT_EQ(reports.at("actor").insecure, std::vector<std::string>{"insecure-seed"});
  expect_reference(trial, reports);
}

TEST(Init, MakesKeysForOnePersonAndTheResultsSaySo) {
  Trial trial;
  trial.init({"--insecure-shared-keys"});
  const auto reports = trial.start_all();
  for (const auto& [role, report] : reports) {
    EXPECT_EQ(std::count(report.insecure.begin(), report.insecure.end(), "insecure-shared-keys"), 1) << role;
  }
  expect_reference(trial, reports);
}

// A service's configs: what is not given is there to be filled in; a doctor reads them, and tries what they name.
TEST(Init, WritesConfigsOfServicesThatADoctorTries) {
  const TestFolder folder;
  const auto sotto = [&](std::vector<std::string> words) {
    SottoProcess process(folder, words);
    const int code = process.wait();
    return fmt::format("{} {}{}", code, process.out(), process.err());
  };
  const std::string out = (folder.path() / "run").string();
  const std::string made =
      sotto({"init", "--protocol", "robin", "--out", out, "--set", "aggregator.clients=2", "--set",
             "aggregator.insecure_plaintext=true", "--set", "aggregator.listen=127.0.0.1:0", "--set",
             "client.insecure_plaintext=true", "--set", "client.connect=127.0.0.1:1", "--set", "client.eps=1"});
  EXPECT_TRUE(made.starts_with("0 ")) << made;
  const std::string aggregator = out + "/aggregator/config.toml";
  EXPECT_TRUE(has(contents(aggregator), "\nclients = 2\n")) << contents(aggregator);
  EXPECT_TRUE(has(contents(aggregator), "\n# trust = [\"sha256:..\"]\n")) << contents(aggregator);
  EXPECT_TRUE(has(sotto({"doctor", "--config", aggregator, "--print-config"}), "clients = 2  # config.toml:"));
  const std::string well = sotto({"doctor", "--config", aggregator});
  EXPECT_TRUE(well.starts_with("0 ") && has(well, "is free") && has(well, "warning")) << well;
  const std::string client = out + "/client/config.toml";
  const std::string alone = sotto({"doctor", "--config", client, "--wait", "0s"});
  EXPECT_TRUE(alone.starts_with("3 ") && has(alone, "robin aggregator")) << alone;
  EXPECT_TRUE(has(sotto({"doctor", "--config", client, "--set", "client.number=-1"}), "number in [client] must be"));
  EXPECT_TRUE(has(sotto({"doctor", "--config", client, "--data", "a.csv"}), "gives a value of this config"));
  EXPECT_TRUE(has(sotto({"init", "--protocol", "p2b", "--steps", "3", "--out", out + "2"}), "--steps: roles of p2b"));
}

}  // namespace
}  // namespace sotto::testing
