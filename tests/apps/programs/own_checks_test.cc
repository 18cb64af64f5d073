#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/checks.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/program/main.h"
#include "apps/kit/settings/config_options.h"
#include "apps/o3m/settings.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
using namespace sotto::apps::o3m;
namespace {

using std::chrono::hours;

void expect_finding(const Finding& finding, Verdict verdict, const std::string& part) {
  EXPECT_EQ(finding.verdict, verdict) << finding.text;
  EXPECT_THAT(finding.text + ": " + finding.advice, HasSubstr(part));
}

void expect_only_finding(const Findings& findings, Verdict verdict, const std::string& part) {
  ASSERT_EQ(findings.size(), 1u);
  expect_finding(findings.front(), verdict, part);
}

BanditSettings two_parties() {
  BanditSettings config;
  config.parties = 2;
  config.arms = 2;
  return config;
}

BanditSettings party_with_key(const TestFolder& folder, const net::Identity& identity) {
  BanditSettings config = two_parties();
  config.set_role(BanditRole::party);
  config.key = folder.path() / "key.pem";
  identity.write(config.key);
  config.trust["party_0"] = identity.fingerprint();
  return config;
}

using OwnChecks = InFolder;

TEST_F(OwnChecks, AKeyIsThereItsOwnersOnlyAndTheOneThatIsTrusted) {
  const net::WallTime now = std::chrono::system_clock::now();
  const net::Identity identity = net::Identity::create("party_0");
  BanditSettings config = party_with_key(folder, identity);
  expect_only_finding(check_key(config, now), Verdict::good, identity.fingerprint());
  fs::permissions(config.key, fs::perms::group_read, fs::perm_options::add);
  expect_only_finding(check_key(config, now), Verdict::problem, "chmod 600");
  fs::permissions(config.key, fs::perms::group_read, fs::perm_options::remove);
  config.trust["party_0"] = net::Identity::create("other").fingerprint();
  expect_only_finding(check_key(config, now), Verdict::problem, identity.fingerprint());
  config.key = folder.path() / "nowhere.pem";
  expect_only_finding(check_key(config, now), Verdict::problem, "sotto keys new");
  config.key.clear();
  expect_only_finding(check_key(config, now), Verdict::problem, "sotto keys new");
  config.insecure_plaintext = true;
  EXPECT_TRUE(check_key(config, now).empty());
}

TEST_F(OwnChecks, ACertificateIsValidNowAndForAWhile) {
  const net::WallTime now = std::chrono::system_clock::now();
  const BanditSettings config =
      party_with_key(folder, net::Identity::create("party_0", {now - hours(24), now + hours(24 * 90)}));
  expect_only_finding(check_key(config, now), Verdict::good, "valid until");
  expect_only_finding(check_key(config, now + hours(24 * 70)), Verdict::warning, "make a new key");
  expect_only_finding(check_key(config, now + hours(24 * 100)), Verdict::problem, "the clock here says");
  expect_only_finding(check_key(config, now - hours(48)), Verdict::problem, "set the clock");
}

TEST_F(OwnChecks, WhatIsInsecureOnPurposeIsWarnedAbout) {
  BanditSettings run;
  EXPECT_TRUE(check_security(run).empty());
  run.insecure_plaintext = run.insecure_shared_keys = true;
  run.insecure_seed = 7;
  const Findings findings = check_security(run);
  ASSERT_EQ(findings.size(), 3u);
  expect_finding(findings[0], Verdict::warning, "insecure_seed");
  expect_finding(findings[1], Verdict::warning, "insecure_plaintext");
  expect_finding(findings[2], Verdict::warning, "insecure_shared_keys");
}

TEST_F(OwnChecks, DataIsReadWithItsShape) {
  BanditSettings config = two_parties();
  config.set_role(BanditRole::party);
  config.data = folder.put("a.csv", "a,b\n0.1,0.2\n0.3,0.4\n0.5,0.6\n");
  expect_only_finding(config.check_files(), Verdict::good, "3 rows, 2 columns");
  config.max_norm = 0.1;
  expect_only_finding(config.check_files(), Verdict::problem, "norm");
  config.data = folder.path() / "nowhere.csv";
  expect_only_finding(config.check_files(), Verdict::problem, "nowhere.csv");
  config.set_role(BanditRole::dealer);
  EXPECT_TRUE(config.check_files().empty());
  config.set_role(BanditRole::actor);
  config.environment = folder.put("labels.csv", "label\n0\n1\n");
  const Findings findings = config.check_files();
  ASSERT_EQ(findings.size(), 2u);
  expect_finding(findings[0], Verdict::good, "2 rows, 2 arms, rewards 0 or 1");
  expect_finding(findings[1], Verdict::note, "labels.csv: nothing says that row t is about the same case");
  config.environment = folder.put("labels.csv", "label\n0\n7\n");
  expect_only_finding(config.check_files(), Verdict::problem, "labels.csv");
}

TEST_F(OwnChecks, FilesOfO3mAreReadWithTheirShape) {
  O3mSettings config;
  config.participants = 2;
  config.steps = 2;
  config.arms = 1;
  config.insecure_blocks = true;
  config.set_role(O3mRole::active);
  config.contexts = folder.put("a.csv", "t,arm,f,g\n0,0,0.5,0.25\n1,0,0.5,0.125\n");
  config.environment = folder.put("rewards.csv", "t,arm,reward\n0,0,1\n1,0,0\n");
  const Findings findings = config.check_files();
  ASSERT_EQ(findings.size(), 2u);
  expect_finding(findings[0], Verdict::good, "2 steps, 1 arm, 2 columns");
  expect_finding(findings[1], Verdict::good, "without means");
  config.steps = 3;
  expect_only_finding(config.check_files(), Verdict::problem, "2 steps, but the run has 3");
  expect_only_finding(check_security(config), Verdict::warning, "insecure_blocks");
  config.set_role(O3mRole::mask_generator);
  config.contexts.clear();
  config.environment.clear();
  EXPECT_TRUE(config.check_files().empty());
}

TEST_F(OwnChecks, FoldersCanBeWrittenTo) {
  BanditSettings config;
  config.set_role(BanditRole::dealer);
  EXPECT_TRUE(config.check_files().empty());
  EXPECT_TRUE(check_folders(config).empty());
  config.state = folder.path() / "state" / "party_0";
  expect_only_finding(config.check_files(), Verdict::good, "can be made");
  fs::create_directories(config.state);
  fs::permissions(config.state, fs::perms::owner_all);
  expect_only_finding(config.check_files(), Verdict::good, "this user's only");
  fs::permissions(config.state, fs::perms::others_read, fs::perm_options::add);
  expect_only_finding(config.check_files(), Verdict::problem, "chmod 700");
  config.state = folder.put("file", "");
  expect_only_finding(config.check_files(), Verdict::problem, "is a file");
  config.state.clear();
  config.report = folder.path() / "party_0.json";
  expect_only_finding(check_folders(config), Verdict::good, "can be written to");
  config.report = folder.path() / "nowhere" / "party_0.json";
  expect_only_finding(check_folders(config), Verdict::problem, "name another folder");
  fs::create_symlink("nowhere/party_0.json", folder.path() / "link.json");
  config.report = folder.path() / "link.json";
  expect_only_finding(check_folders(config), Verdict::problem, "name another folder");
  config.report = "/dev/null";
  expect_only_finding(check_folders(config), Verdict::good, "/dev/null can be written to");
}

template <class S>
std::string run_text(const std::vector<std::string>& flags) {
  Command command("run", "");
  S settings;
  add_run_options(command, settings);
  command.callback([] {});
  const std::string refusal = error_of<std::exception>([&] { parse_and_run(command, {}, flags); });
  return refusal.empty() ? agreed_text(settings) : refusal;
}

TEST(RunOptions, AreOfEverySettingOfTheRun) {
  const auto program = make_program();
  for (const Program* one : {&bandit_program(), &o3m_program()}) {
    for (const Setting& setting : one->settings) {
      if (setting.table != "run" || setting.of_owner || setting.known_here) continue;
      EXPECT_NO_THROW((void)program->subcommand(one->word)->option(setting.run_flag())) << setting.path();
    }
  }
}

TEST(RunOptions, AreReadAsAConfigIs) {
  const std::string bandit =
      run_text<BanditSettings>({"--max-norm", "2", "--joint-norm-holds", "--steps", "7", "--deal-ahead", "--epsilon",
                                "0.25", "--batch", "64", "--reward-lag", "100"});
  for (const char* line : {"max_norm = 2.0\n", "joint_norm_holds = true\n", "steps = 7\n", "deal_ahead = true\n",
                           "epsilon = 0.25\n", "bits = 20\n", "batch = 64\n", "reward_lag = 100\n"}) {
    EXPECT_THAT(bandit, HasSubstr(line));
  }
  const std::string o3m = run_text<O3mSettings>({"--algorithm", "ts", "--mask-generator", "2", "--insecure-blocks"});
  for (const char* line : {"algorithm = \"ts\"\n", "mask_generator = 2\n", "insecure_blocks = true\n"}) {
    EXPECT_THAT(o3m, HasSubstr(line));
  }
}

TEST(RunOptions, RefuseWhatAConfigRefuses) {
  const std::pair<std::vector<std::string>, const char*> bandit[] = {
      {{"--steps", "0"}, "--steps: '0' is not a whole number from 1 to 2^63 - 1"},
      {{"--epsilon", "1.5"}, "--epsilon: '1.5' is not a number from 0 to 1"},
      {{"--bits", "25"}, "--bits: '25' is not a whole number from 12 to 24"},
      {{"--batch", "0"}, "--batch: '0' is not a whole number from 1 to 4096"},
      {{"--max-norm", "9"}, "--max-norm: max_norm in [run] must be a number above 0 and at most 8, not 9.0"}};
  for (const auto& [flags, says] : bandit) EXPECT_EQ(run_text<BanditSettings>(flags), says);
  const std::pair<std::vector<std::string>, const char*> o3m[] = {
      {{"--algorithm", "UCB"}, "--algorithm: 'UCB' is none of ucb, ts"},
      {{"--beta", "1.1e6"}, "--beta: '1.1e6' is not a number from 0 to 1e+06"},
      {{"--mask-generator", "me"},
       "--mask-generator: mask_generator in [run] must be \"third party\" or the number of a passive participant, not "
       "\"me\""}};
  for (const auto& [flags, says] : o3m) EXPECT_EQ(run_text<O3mSettings>(flags), says);
}

}  // namespace
}  // namespace sotto::apps
