// From `sotto init` to a run over TLS, by the steps that its READMEs name.
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/role_report.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

const Words keys_of_run{"dealer", "party_0", "party_1", "actor"};
const Words reference = words_of("--steps 40 --reveal-model --json --insecure-seed 11");

// A folder with what the roles have, each of which is elsewhere in a real run.
class Init : public ::testing::Test {
 protected:
  Init() {
    write_small_run(folder_);
    apps::bandit::run::BanditOptions options;
    options.parties = {folder_.path() / "a.csv", folder_.path() / "b.csv"};
    options.environment = folder_.path() / "labels.csv";
    options.run.steps = 40;
    options.run.max_norm = 1;
    options.run.reveal_model = true;
    options.run.insecure_seed = 11;
    const auto run = apps::bandit::run::local_run_config(options, apps::bandit::run::read_local_inputs(options), 0);
    repeatable_ = {"--set", "run.session=" + run.session, "--set",
                   "run.insecure_seed=" + std::to_string(*run.insecure_seed)};
  }

  // On ports of its own, with the data put where the configs expect it.
  void init(const Words& flags) {
    Words words = words_of("init --parties 2 --steps 40 --arms 2 --out set --max-norm 1 --reveal-model");
    for (const char* role : {"dealer", "party_0", "party_1"}) {
      words = joined(words, {"--host", role + ("=" + Ports::take())});
    }
    succeed(folder_, joined(words, flags));
    fs::copy(folder_.path() / "a.csv", of("party_0") / "data.csv");
    fs::copy(folder_.path() / "b.csv", of("party_1") / "data.csv");
    fs::copy(folder_.path() / "labels.csv", of("actor") / "environment.csv");
  }

  // Every role of the set, with the randomness of the reference; what comes out is the same.
  std::map<std::string, apps::bandit::run::RoleReport> run_like_the_reference() {
    Processes processes;
    for (const std::string& role : keys_of_run) {
      const Words words{role.substr(0, role.find('_')), "--config", of(role) / "config.toml"};
      processes[role] = std::make_unique<SottoProcess>(folder_, joined(words, repeatable_));
    }
    expect_ends(end_all(processes), 0);
    std::map<std::string, apps::bandit::run::RoleReport> reports;
    for (const std::string& role : keys_of_run)
      reports[role] = apps::bandit::run::read_role_report(of(role) / "report.json");
    const json expected = result_of(folder_, small_run(reference));
    EXPECT_EQ(reports.at("actor").average_reward, expected.at("average_reward").get<double>());
    EXPECT_EQ(json(*reports.at("party_0").weights), expected.at("weights"));
    EXPECT_EQ(json(*reports.at("party_0").inverse_matrices), expected.at("inverse_matrices"));
    return reports;
  }

  [[nodiscard]] fs::path of(const std::string& role) const { return folder_.path() / "set" / role; }

  TestFolder folder_;
  Words repeatable_;
};

TEST_F(Init, LeadsFromKeysOfTheRolesOwnToARun) {
  init({});
  exchange_keys(folder_, keys_of_run);
  EXPECT_EQ(run_like_the_reference().at("actor").insecure, Words{"insecure-seed"});
}

TEST_F(Init, MakesKeysForOnePersonAndTheResultsSaySo) {
  init({"--insecure-shared-keys"});
  for (const auto& [role, report] : run_like_the_reference()) {
    EXPECT_EQ(std::count(report.insecure.begin(), report.insecure.end(), "insecure-shared-keys"), 1) << role;
  }
}

// A party that has a table follows its README: the doctor then finds the columns of its recipe.
TEST_F(Init, OfALivePartyLeadsFromATableToItsColumns) {
  succeed(folder_, words_of("init --live --parties 2 --set service.arms=a,b --set service.baseline_arm=a --set "
                            "service.reward_wait=1h --insecure-shared-keys --out set"));
  const std::string readme = contents(of("party_0") / "README.txt");
  EXPECT_FALSE(has(readme, "The role then writes"));
  const std::size_t at = readme.find("sotto prepare party ");
  ASSERT_NE(at, std::string::npos);
  Words command = words_of(readme.substr(at + 6, readme.find('\n', at) - at - 6));
  std::replace(command.begin(), command.end(), std::string("TABLE.csv"), std::string("table.csv"));
  std::replace(command.begin(), command.end(), std::string("COLUMN"), std::string("id"));
  std::replace(command.begin(), command.end(), std::string("prepared"), (of("party_0") / "prepared").string());
  folder_.write("table.csv", "id,age,plan\n1,40,gold\n2,50,tin\n3,20,tin\n");
  succeed(folder_, command);
  std::string config = contents(of("party_0") / "config.toml");
  const std::string columns = "\ncolumns = \"columns.csv\"\n";
  const std::size_t line = config.find(columns);
  ASSERT_NE(line, std::string::npos);
  ASSERT_TRUE(has(readme, "recipe = \"prepared/recipe.toml\"\n"));
  folder_.write("set/party_0/config.toml",
                config.replace(line, columns.size(), "\nrecipe = \"prepared/recipe.toml\"\n"));
  SottoProcess doctor(folder_, words_of("doctor --config set/party_0/config.toml --wait 0s"));
  EXPECT_EQ(doctor.wait(), 3) << "nobody else is there";
  EXPECT_THAT(doctor.out(), HasSubstr("recipe.toml: 4 columns"));
}

// A service's configs: what is not given is there to be filled in; a doctor reads them, and tries what they name.
TEST_F(Init, WritesConfigsOfServicesThatADoctorTries) {
  const std::string client = "doctor --config set/client/config.toml ";
  const std::string aggregator = "doctor --config set/aggregator/config.toml ";
  succeed(folder_, words_of("init --protocol robin --out set --set aggregator.clients=2 --set "
                            "aggregator.insecure_plaintext=true --set aggregator.listen=127.0.0.1:0 --set "
                            "client.insecure_plaintext=true --set client.connect=127.0.0.1:1 --set client.eps=1"));
  EXPECT_THAT(contents(of("aggregator") / "config.toml"),
              ::testing::AllOf(HasSubstr("\nclients = 2\n"), HasSubstr("\n# trust = [\"sha256:..\"]\n")));
  EXPECT_THAT(succeed(folder_, words_of(aggregator + "--print-config")), HasSubstr("clients = 2  # config.toml:"));
  EXPECT_THAT(succeed(folder_, words_of(aggregator)), ::testing::AllOf(HasSubstr("is free"), HasSubstr("warning")));
  SottoProcess alone(folder_, words_of(client + "--wait 0s"));
  EXPECT_EQ(alone.wait(), 3);
  EXPECT_THAT(alone.out() + alone.err(), HasSubstr("robin aggregator"));
  for (const auto& [flags, says] : Refusals{{"--set client.number=-1", "number in [client] must be"},
                                            {"--data a.csv", "gives a value of this config"}}) {
    SottoProcess doctor(folder_, words_of(client + flags));
    EXPECT_EQ(doctor.wait(), 2);
    EXPECT_THAT(doctor.out(), ::testing::AllOf(HasSubstr("problem  config"), HasSubstr(says)));
  }
  expect_refused(folder_, words_of("init --protocol p2b --steps 3 --out other"), "--steps: roles of p2b");
}

}  // namespace
}  // namespace sotto::testing
