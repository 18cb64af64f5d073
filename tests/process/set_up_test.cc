#include <sys/stat.h>

#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/role_report.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using Keys = InFolder;

TEST_F(Keys, AreMadeShownAndTrusted) {
  const json key = result_of(folder, words_of("keys new --name dealer --json"));
  EXPECT_EQ(key.at("file"), "dealer.pem");
  EXPECT_EQ(key.at("certificate_file"), "dealer.crt");
  struct stat status {};
  ASSERT_EQ(::stat((folder.path() / "dealer.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_FALSE(has(contents(folder.path() / "dealer.crt"), "PRIVATE"));
  expect_refused(folder, words_of("keys new --name dealer"), "dealer.pem");
  const json both = result_of(folder, words_of("keys show dealer.pem dealer.crt --json"));
  for (const json& one : both) {
    expect_fields(one, {{"fingerprint", key.at("fingerprint")}, {"name", "dealer"}, {"valid", true}});
  }
  EXPECT_EQ(both.at(0).at("private_key"), true);
  EXPECT_EQ(both.at(1).at("private_key"), false);
  ::chmod((folder.path() / "dealer.pem").c_str(), 0644);
  expect_refused(folder, words_of("keys show dealer.pem"), "chmod 600 dealer.pem");

  const fs::path config = folder.write("party_0.toml", "# ours\n[run]\nparties = 2\n");
  const std::string fingerprint = key.at("fingerprint");
  EXPECT_THAT(succeed(folder, words_of("keys trust --config party_0.toml dealer dealer.crt")), HasSubstr(fingerprint));
  EXPECT_EQ(contents(config), "# ours\n[run]\nparties = 2\n\n[trust]\ndealer = \"" + fingerprint + "\"\n");
  const std::string other = "sha256:" + std::string(64, 'b');
  EXPECT_THAT(succeed(folder, words_of("keys trust --config party_0.toml dealer " + other)),
              ::testing::AllOf(HasSubstr(fingerprint), HasSubstr(other)));
}

TEST_F(Keys, NonsenseIsRefused) {
  const fs::path config = folder.write("party_0.toml", "[run]\nparties = 2\n");
  const std::string good = "sha256:" + std::string(64, 'b');
  for (const std::string& wrong : {"party_2 " + good, "carol " + good, std::string("dealer sha256:12"),
                                   std::string("dealer party_0.toml"), std::string("dealer none.crt")}) {
    expect_refused(folder, words_of("keys trust --config party_0.toml " + wrong), "");
  }
  EXPECT_EQ(contents(config), "[run]\nparties = 2\n");
  expect_refused(folder, words_of("keys new --out no/such/folder/a.pem"), "", 6);
  expect_refused(folder, words_of("keys new --days 0"), "");
  expect_refused(folder, words_of("keys show party_0.toml"), "");
}

TEST_F(Keys, ARoleSaysWhichKeyItLacks) {
  RolePlan dealer = plan_run(folder).at("dealer");
  dealer.config.key = folder.path() / "none.pem";
  expect_role_refused(folder, "dealer", dealer, "none.pem");
  dealer.config.key = apps::key_file(folder.path(), "party_0");
  expect_role_refused(folder, "dealer", dealer, dealer.config.trust.at("dealer"));
  ::chmod(dealer.config.key.c_str(), 0640);
  expect_role_refused(folder, "dealer", dealer, "chmod 600");
}

TEST_F(Keys, LinksWithoutTlsAreStamped) {
  for (const bool plaintext : {false, true}) {
    const RunPlan plans = plan_run(folder, {2, 40, false, plaintext});
    for (const auto& [key, end] : run(folder, plans)) {
      EXPECT_EQ(end.code, 0) << key << end.error;
      EXPECT_EQ(has(end.output, "INSECURE: insecure-plaintext"), plaintext) << key;
      const auto report = json::parse(contents(plans.at(key).config.report));
      const json expected = plaintext ? json{"insecure-plaintext"} : json::array();
      EXPECT_EQ(report.at("insecure"), expected) << key;
    }
  }
}

TEST_F(Keys, ALocalRunEncryptsUnlessItIsAskedNotTo) {
  write_small_run(folder);
  for (const bool plaintext : {false, true}) {
    Words words = small_run({"--out", "run"});
    if (plaintext) words.emplace_back("--insecure-plaintext");
    EXPECT_EQ(has(succeed(folder, words), "INSECURE: insecure-plaintext"), plaintext);
    const json result = json::parse(contents(folder.path() / "run" / "run.json"));
    EXPECT_EQ(result.at("insecure"), plaintext ? json{"insecure-plaintext"} : json::array());
    EXPECT_EQ(has(contents(folder.path() / "run" / "report.html"), "Insecure run: insecure-plain"), plaintext);
    fs::remove_all(folder.path() / "run");
  }
}

const Words keys_of_run{"dealer", "party_0", "party_1", "actor"};
const Words reference = words_of("--steps 40 --reveal-model --json --insecure-seed 11");

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

  // Runs every role of the set with the randomness of the reference, and checks that the results are the same.
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

std::unique_ptr<SottoProcess> doctor(const TestFolder& folder, const std::string& key, const RolePlan& role,
                                     const std::string& wait = "60s") {
  const fs::path file = folder.write(key + "_doctor.toml", apps::to_toml(role.config));
  return std::make_unique<SottoProcess>(folder, Words{"doctor", "--config", file.string(), "--wait", wait});
}

std::string line_of(const std::string& table, const std::string& verdict, const std::string& subject) {
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(verdict + " ", 0) == 0 && line.find(" " + subject + " ") != std::string::npos) return line;
  }
  return "";
}

void expect_line(const SottoProcess& process, const std::string& verdict, const std::string& subject,
                 const std::string& part) {
  const std::string line = line_of(process.out(), verdict, subject);
  EXPECT_THAT(line, HasSubstr(part)) << process.out() << process.err();
}

Processes doctors_of_all(const TestFolder& folder, const RunPlan& plans) {
  Processes doctors;
  for (const auto& [key, role] : plans) doctors[key] = doctor(folder, key, role);
  for (auto& [key, process] : doctors) process->wait();
  return doctors;
}

void expect_codes(const Processes& doctors, int code) {
  for (const auto& [key, process] : doctors)
    EXPECT_EQ(process->wait(), code) << key << process->out() << process->err();
}

using Doctor = InFolder;

TEST_F(Doctor, DoctorsOfAllMachinesAnswerEachOther) {
  for (const bool plaintext : {false, true}) {
    const RunPlan plans = plan_run(folder, {.separate_rewarder = true, .plaintext = plaintext});
    const Processes doctors = doctors_of_all(folder, plans);
    expect_codes(doctors, 0);
    const SottoProcess& first = *doctors.at("party_0");
    expect_line(first, "ok", "listen", "is free");
    expect_line(first, "ok", "data", "30 rows, 2 columns");
    expect_line(first, "ok", "party 1", "its doctor answers");
    expect_line(first, "ok", "the dealer clock", "this machine's");
    expect_line(first, "ok", "party 1 config", "the same run");
    expect_line(first, "ok", "actor", "its doctor reaches this one");
    expect_line(first, "ok", "rewarder", "its doctor reaches this one");
    if (plaintext) {
      expect_line(first, "warning", "plaintext", "insecure_plaintext");
    } else {
      expect_line(first, "ok", "key", plans.at("party_0").config.trust.at("party_0"));
      expect_line(first, "ok", "party 1 certificate", plans.at("party_0").config.trust.at("party_1"));
      EXPECT_THAT(first.out(), HasSubstr("all is well\n"));
    }
  }
}

TEST_F(Doctor, RolesThatWaitAnswerAndGoOn) {
  RunPlan plans = plan_run(folder);
  const RolePlan actor = plans.at("actor");
  plans.erase("actor");
  for (auto& [key, role] : plans) role.config.connect_deadline_seconds = 120;
  Processes roles = start_all(folder, plans);
  const auto of_actor = doctor(folder, "actor", actor);
  EXPECT_EQ(of_actor->wait(), 0) << of_actor->out() << of_actor->err();
  for (const char* name : {"the dealer", "party 0", "party 1"}) {
    expect_line(*of_actor, "ok", name, "it waits for its peers");
  }
  // All roles listen at this point, so the doctor of a role finds that the port belongs to the role itself.
  const auto of_party = doctor(folder, "party_0", plans.at("party_0"));
  EXPECT_EQ(of_party->wait(), 0) << of_party->out() << of_party->err();
  expect_line(*of_party, "ok", "listen", "held by this very role");
  expect_line(*of_party, "note", "actor", "run `sotto doctor` on its machine");
  roles["actor"] = start(folder, "actor", actor);
  expect_ends(end_all(roles), 0);
}

// Two companies have rows of norm 1 with max_norm = 1, so joint rows can exceed max_norm.
TEST_F(Doctor, BoundsThatAllowJointRowsAboveMaxNormAreNamedByAll) {
  RunPlan plans = plan_run(folder);
  for (const std::string key : {"party_0", "party_1"}) {
    plans.at(key).config.data = folder.write(key + ".csv", rows_in_turn("0.6,0.8", "0.6,0.8"));
  }
  for (const bool seen : {false, true}) {
    for (auto& [key, role] : plans) role.config.joint_norm_holds = seen;
    for (const auto& [key, process] : doctors_of_all(folder, plans)) {
      EXPECT_EQ(process->wait(), seen ? 0 : 5) << key << process->out() << process->err();
      EXPECT_THAT(process->out(), HasSubstr("1 at party 0, 1 at party 1: together up to 1.41421, above max_norm = 1"))
          << key << process->out();
    }
  }
}

TEST_F(Doctor, ConfigsThatDifferAreNamedAtBoth) {
  RunPlan plans = plan_run(folder);
  plans.at("party_1").config.epsilon = 0.2;
  const Processes doctors = doctors_of_all(folder, plans);
  expect_codes(doctors, 5);
  expect_line(*doctors.at("party_0"), "problem", "party 1 config", "epsilon = 0.1 here, 0.2 at party 1");
  expect_line(*doctors.at("party_1"), "problem", "party 0 config", "epsilon = 0.2 here, 0.1 at party 0");
}

TEST_F(Doctor, ACertificateThatIsNotTheOneInTheConfigIsNamed) {
  RunPlan plans = plan_run(folder);
  std::string& trusted = plans.at("party_0").config.trust.at("party_1");
  const std::string right = trusted;
  trusted = net::Identity::create("other").fingerprint();
  const Processes doctors = doctors_of_all(folder, plans);
  EXPECT_EQ(doctors.at("party_0")->wait(), 7) << doctors.at("party_0")->err();
  expect_line(*doctors.at("party_0"), "problem", "party 1", right);
  expect_line(*doctors.at("party_0"), "problem", "party 1", trusted);
  EXPECT_EQ(doctors.at("party_1")->wait(), 7) << doctors.at("party_1")->err();
  expect_line(*doctors.at("party_1"), "problem", "party 0", "does not trust this role's certificate");
}

TEST_F(Doctor, ExitsWithTheCodeOfTheFirstProblem) {
  const RunPlan plans = plan_run(folder);
  struct Case {
    std::function<void(apps::bandit::run::BanditSettings&)> change;
    int code;
    std::string subject;
    std::string says;
  };
  const net::TcpListener taken(net::Address{"127.0.0.1", 0});
  const std::vector<Case> cases = {
      {[](apps::bandit::run::BanditSettings&) {}, 3, "party 1", "start the role or `sotto doctor` there"},
      {[](apps::bandit::run::BanditSettings& c) { c.peers.at("party_1") = "no-such-host.invalid:7101"; }, 3, "party 1",
       "cannot be resolved"},
      {[](apps::bandit::run::BanditSettings& c) { c.key = "/nowhere/key.pem"; }, 2, "key", "sotto keys new"},
      {[](apps::bandit::run::BanditSettings& c) { c.data = "/nowhere/a.csv"; }, 2, "data", "/nowhere/a.csv"},
      {[&](apps::bandit::run::BanditSettings& c) { c.listen = taken.address().text(); }, 6, "listen",
       taken.address().text()},
      {[](apps::bandit::run::BanditSettings& c) { c.listen = "192.0.2.1:7100"; }, 2, "listen",
       "this machine does not have that address"},
      {[](apps::bandit::run::BanditSettings& c) { c.report = "/nowhere/a.json"; }, 6, "report", "/nowhere"},
  };
  for (const Case& c : cases) {
    RolePlan role = plans.at("party_0");
    c.change(role.config);
    const auto process = doctor(folder, "party_0", role, "300ms");
    EXPECT_EQ(process->wait(), c.code) << process->out() << process->err();
    expect_line(*process, "problem", c.subject, c.says);
    EXPECT_THAT(process->error(), HasSubstr(c.subject));
  }
}

TEST_F(Doctor, AConfigThatCannotBeReadIsTheFinding) {
  const std::string file = folder.write("broken.toml", "[run]\nparties = \"two\"\n").string();
  SottoProcess process(folder, {"doctor", "--config", file, "--json"});
  EXPECT_EQ(process.wait(), 2);
  const auto json = process.json();
  EXPECT_EQ(json["exit_code"], 2);
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["subject"], "config");
  EXPECT_THAT(json["findings"][0]["text"].get<std::string>(), HasSubstr("broken.toml"));
}

TEST_F(Doctor, SaysWhatItWaitsForAndStopsOnASignal) {
  const RunPlan plans = plan_run(folder);
  const auto process = doctor(folder, "actor", plans.at("actor"), "1h");
  process->wait_for("party 1 at ");
  EXPECT_THAT(process->err(), HasSubstr("Connection refused, trying for "));
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->err();
}

TEST_F(Doctor, RefusesATimeThatIsNone) {
  for (const char* wait : {"soon", "", "-1s", "2x", "25h", "1 s"}) {
    expect_refused(folder, {"doctor", "--config", "x.toml", "--wait", wait}, "--wait");
  }
}

}  // namespace
}  // namespace sotto::testing
