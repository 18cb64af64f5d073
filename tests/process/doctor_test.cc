// `sotto doctor` as a user runs it: doctors that answer each other, and roles that wait.
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

std::unique_ptr<SottoProcess> doctor(const TestFolder& folder, const std::string& key, const RolePlan& role,
                                     const std::string& wait = "60s") {
  const fs::path file = folder.write(key + "_doctor.toml", apps::to_toml(role.config));
  return std::make_unique<SottoProcess>(folder, Words{"doctor", "--config", file.string(), "--wait", wait});
}

// The line of the table about `subject`.
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

// Roles that wait for the actor are asked, and go on with their run when it comes.
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
  // All of them listen by now: a doctor of one finds its port taken, by itself.
  const auto of_party = doctor(folder, "party_0", plans.at("party_0"));
  EXPECT_EQ(of_party->wait(), 0) << of_party->out() << of_party->err();
  expect_line(*of_party, "ok", "listen", "held by this very role");
  expect_line(*of_party, "note", "actor", "run `sotto doctor` on its machine");
  roles["actor"] = start(folder, "actor", actor);
  expect_ends(end_all(roles), 0);
}

// Two companies whose rows have norm 1, and max_norm = 1: the doctor of each role says so.
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
