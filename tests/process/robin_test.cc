#include "apps/robin/instance.h"
#include "apps/robin/play.h"
#include "tests/process/robin_logs.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using Robin = InFolder;

Words robin(const std::string& flags) { return words_of("robin " + flags); }

std::string logs(const TestFolder& folder, unsigned clients, std::size_t steps) {
  std::string flags;
  for (unsigned i = 0; i < clients; ++i) {
    const std::string name = "c" + std::to_string(i) + ".csv";
    folder.write(name, log_of(i, steps));
    flags += " --client " + name;
  }
  return flags;
}

TEST_F(Robin, RolesPlayWhatOneProcessPlays) {
  for (const std::size_t clients : {2u, 3u, 5u, 20u}) {
    const std::string epsilon = clients < 5 ? "1000" : "200";
    const json result = result_of(folder, robin("--horizon 510 --insecure-seed 7 --json --eps " + epsilon +
                                                " --clients " + std::to_string(clients)));
    apps::robin::RobinSettings settings;
    settings.clients = clients;
    settings.epsilon = std::stod(epsilon);
    settings.horizon = 510;
    const auto instance = apps::robin::simulated_instance(apps::robin::checked(settings));
    const std::atomic<bool> never{false};
    const apps::robin::RobinOutcome one = apps::robin::play_robin(apps::robin::resolved(settings, *instance), instance,
                                                                  apps::Coins::insecure(7), {}, {}, never);
    ASSERT_EQ(one.decision.mode, apps::robin::RobinMode::federated);
    EXPECT_NEAR(result.at("regret_per_client"), *one.regret_per_client, 1e-9);
    EXPECT_NEAR(result.at("regret_local"), *one.regret_local, 1e-9);
    EXPECT_NEAR(result.at("regret_nonprivate"), *one.regret_nonprivate, 1e-9);
    EXPECT_EQ(result.at("eps_spent"), one.epsilon_spent);
    EXPECT_LE(result.at("eps_spent"), settings.epsilon);
    expect_fields(result, {{"delta", 1e-5},
                           {"delta_spent", one.delta_spent},
                           {"refused", false},
                           {"status", "complete"},
                           {"insecure", json::array({"insecure-seed"})}});
    EXPECT_EQ(result.at("releases").size(), one.releases.size());
    EXPECT_EQ(result.at("phases").size(), one.phases.size());
    EXPECT_EQ(result.at("estimate").size(), 4u);
    const std::size_t processes = result.at("roles").size();
    EXPECT_TRUE(clients <= 8 ? processes == clients + 1 : processes < clients) << processes;
  }
}

TEST_F(Robin, WithoutASeedTheNoiseIsFresh) {
  const Words words = robin("--clients 20 --eps 200 --horizon 510 --no-twins --json");
  const json first = result_of(folder, words);
  const json second = result_of(folder, words);
  EXPECT_NE(first.at("estimate"), second.at("estimate"));
  EXPECT_EQ(first.at("insecure"), json::array());
  EXPECT_EQ(first.at("regret_local"), nullptr);
}

TEST_F(Robin, TooFewClientsAreRefusedAndNothingIsSpent) {
  SottoProcess process(folder, robin("--clients 50 --json --out run"));
  expect_end(process, 2, "--adaptive");
  json printed = process.json();
  EXPECT_EQ(printed.at("exit_code"), 2);
  printed.erase("exit_code");
  expect_fields(printed, {{"refused", true}, {"status", "refused"}, {"eps_spent", 0}, {"regret_per_client", nullptr}});
  EXPECT_GT(printed.at("enough_clients"), 50);
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")), printed);
  EXPECT_THAT(contents(folder.path() / "run" / "report.html"), HasSubstr("refused"));
}

TEST_F(Robin, TheReasonOfARefusalIsSaidOnce) {
  SottoProcess process(folder, robin("--clients 50 --out run"));
  EXPECT_EQ(process.wait(), 2);
  EXPECT_THAT(process.err(), HasSubstr("too few"));
  EXPECT_THAT(process.out(), ::testing::Not(HasSubstr("too few")));
  EXPECT_THAT(process.out(), HasSubstr("epsilon spent     0 "));
  EXPECT_THAT(process.out(), HasSubstr("run.json"));
}

TEST_F(Robin, TheNoiseFollowsTheComposition) {
  for (const auto& [composition, delta] : {std::pair{"basic", 0.0}, {"nested", 1e-5}}) {
    const json result = result_of(
        folder,
        robin("--clients 200 --eps 5000 --horizon 510 --no-twins --json --composition " + std::string(composition)));
    expect_fields(result, {{"noise", "laplace"}, {"mode", "federated"}, {"delta", delta}, {"delta_spent", delta}});
  }
}

TEST_F(Robin, AdaptiveClientsPlayByThemselves) {
  const json result = result_of(folder, robin("--clients 5 --adaptive --horizon 510 --json"));
  expect_fields(result, {{"mode", "local"}, {"refused", false}, {"eps_spent", 0}, {"releases", json::array()}});
  EXPECT_NEAR(result.at("regret_per_client"), result.at("regret_local"), 1e-9);
}

TEST_F(Robin, LoggedClientsPlayTheirFiles) {
  const std::string flags = logs(folder, 3, 254) + " --eps 2000 --noise-sd 0.1 --init-phases 5 --json";
  const json result = result_of(folder, robin(flags));
  expect_fields(result, {{"clients", 3},
                         {"dimension", 2},
                         {"arms", 3},
                         {"horizon", 254},
                         {"mode", "federated"},
                         {"simulated", false},
                         {"files", json::array({"c0.csv", "c1.csv", "c2.csv"})}});
  EXPECT_EQ(result.at("releases").size(), 2u);
  EXPECT_LT(result.at("regret_per_client"), 40.0);
  EXPECT_EQ(result.at("roles").size(), 4u);
}

TEST_F(Robin, FeaturesAndRewardsOutsideTheBoundsAreClippedAndCounted) {
  std::string far = "t,arm,a,b,reward,mean\n";
  for (int arm = 0; arm < 3; ++arm) far += "0," + std::to_string(arm) + ",30,40,5000,0.2\n";
  const std::string rest = log_of(9, 254);
  std::size_t fourth = 0;
  for (int line = 0; line < 4; ++line) fourth = rest.find('\n', fourth) + 1;
  far += rest.substr(fourth);
  folder.write("far.csv", far);
  const json result = result_of(folder, robin(logs(folder, 2, 254) + " --client far.csv --eps 2000 --noise-sd 0.1 "
                                                                     "--init-phases 5 --json --no-twins"));
  EXPECT_EQ(result.at("clipped").at("features"), 3);
  EXPECT_EQ(result.at("clipped").at("rewards"), 1);
}

TEST_F(Robin, BadInputIsOneLine) {
  const std::string three = logs(folder, 3, 62);
  folder.write("wide.csv", "t,arm,a,b,c,reward\n0,0,.1,.2,.3,.4\n0,1,.1,.2,.3,.4\n0,2,.1,.2,.3,.4\n");
  folder.write("nan.csv", "t,arm,a,b,reward\n0,0,0.1,nan,0.7351928\n");
  expect_refusals(folder, "robin",
                  {{"--eps 0", "--eps"},
                   {"--eps -1", "--eps"},
                   {"--eps nan", "--eps"},
                   {"--eps 1e308", "no promise at all"},
                   {"--composition nested --noise gaussian", "--noise"},
                   {"--delta 0", "--delta"},
                   {"--delta 1", "--delta"},
                   {"--delta -0.1", "--delta"},
                   {"--clients 1", "--clients"},
                   {"--clients 0", "--clients"},
                   {"--clients -5", "--clients"},
                   {"--dim 0", "--dim"},
                   {"--arms 0", "--arms"},
                   {"--horizon 3", "--horizon"},
                   {"--noise none", "--noise"},
                   {"--range none", "--range"},
                   {"--composition none", "--composition"},
                   {"--deadline 0", "--deadline"},
                   {"--deadline nan", "--deadline"},
                   {"--client c0.csv", "--client"},
                   {"--client c0.csv --client no.csv", "no.csv"},
                   {"--unknown", "--unknown"}});
  expect_refusals(folder, "robin" + three,
                  {{"--client wide.csv", "wide.csv"},
                   {"--client nan.csv", "nan.csv"},
                   {"--client ./c1.csv", "./c1.csv is given twice"},
                   {"--horizon 63", "--horizon"},
                   {"--clients 3", "--client"}});
  EXPECT_FALSE(fs::exists(folder.path() / "sotto-runs"));
}

// A run with these arguments is too long to end by itself in a test.
const std::string long_robin_run = "--clients 3 --eps 100000 --horizon 1073741822 --json ";

TEST_F(Robin, AKilledRoleIsNamedAndTheRunWrittenDown) {
  for (const char* role : {"aggregator.json", "client_1.json"}) {
    const std::string out = std::string("run-") + role;
    SottoProcess process(folder, robin(long_robin_run + "--out " + out));
    ::kill(process.child(role), SIGKILL);
    expect_end(process, 3, "killed by signal 9");
    const json written = json::parse(contents(folder.path() / out / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_THAT(written.at("error").get<std::string>(), HasSubstr("killed by signal 9"));
    EXPECT_EQ(written.at("regret_per_client"), nullptr);
    EXPECT_LE(written.at("eps_spent"), 100000.0);
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST_F(Robin, WhatAnAggregatorReleasedBeforeItWasKilledIsSpent) {
  SottoProcess process(folder, robin(long_robin_run + "--out run"));
  const pid_t aggregator = process.child("aggregator.json");
  const auto has_released = [&] {
    for (const auto& run : fs::directory_iterator(folder.path() / "tmp")) {
      if (fs::exists(run.path() / "aggregator.json")) return true;
    }
    return false;
  };
  while (!has_released() && runs(aggregator)) {
  }
  ::kill(aggregator, SIGKILL);
  EXPECT_EQ(process.wait(), 3) << process.err();
  const json written = json::parse(contents(folder.path() / "run" / "run.json"));
  EXPECT_GE(written.at("releases").size(), 1u);
  EXPECT_GT(written.at("eps_spent"), 0.0);
  EXPECT_TRUE(folder.nothing_left());
}

TEST_F(Robin, AnInterruptEndsAllAndSaysWhatWasSpent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SottoProcess process(folder, robin(long_robin_run + "--out run"));
    while (process.children().size() < 4) process.look_again();
    expect_interrupted(process, folder, 4, signal);
    const json written = json::parse(contents(folder.path() / "run" / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_EQ(written.at("eps_spent"), process.json().at("eps_spent"));
  }
}

TEST_F(Robin, AClientThatNeverReportsEndsTheRunAtTheDeadline) {
  SottoProcess process(folder, robin(long_robin_run + "--deadline 1"));
  expect_end(process, 3, "within 1 s");
  const json result = process.json();
  EXPECT_EQ(result.at("status"), "failed");
  EXPECT_EQ(result.at("eps_spent").get<double>() > 0, !result.at("releases").empty());
}

TEST_F(Robin, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  folder.write("file", "");
  expect_refused(folder, robin("--clients 5 --adaptive --out file"), "--out", 6);
}

TEST_F(Robin, TheSummaryAndThePageSayWhoLearnsWhat) {
  SottoProcess process(folder, robin("--clients 20 --eps 200 --horizon 510 --out run --insecure-plaintext"));
  EXPECT_EQ(process.wait(), 0) << process.err();
  const std::string summary = process.out();
  for (const char* word : {"regret", "local twin", "non-private twin", "epsilon spent", "INSECURE: insecure-plaintext",
                           "The aggregator is trusted"}) {
    EXPECT_THAT(summary, HasSubstr(word));
  }
  const std::string page = contents(folder.path() / "run" / "report.html");
  for (const char* word : {"Knowledge of each role", "<h2>Releases</h2>", "Insecure run", "</html>"}) {
    EXPECT_THAT(page, HasSubstr(word));
  }
}

Words aggregate(const std::string& flags, const std::string& file = "estimates.csv") {
  return words_of("robin aggregate --bound 1 --tau 0.05 --estimates " + file + " " + flags);
}

std::string some_estimates(int clients) {
  std::string text;
  for (int i = 0; i < clients; ++i) {
    for (const double centre : {0.3, -0.2, 0.5}) {
      const double x = centre + 0.02 * std::sin(i * 7.3 + centre * 100);
      text += std::to_string(x) + (centre == 0.5 ? "\n" : ",");
    }
  }
  return text;
}

using RobinAggregate = InFolder;

TEST_F(RobinAggregate, PrintsMeanRangesNoiseAndWhatWasSpent) {
  folder.write("estimates.csv", some_estimates(2000));
  const json result = result_of(folder, aggregate("--eps 1 --delta 1e-5 --json"));
  ASSERT_EQ(result["mean"].size(), 3U);
  EXPECT_NEAR(result["mean"][0], 0.3, 0.02);
  EXPECT_NEAR(result["mean"][1], -0.2, 0.02);
  EXPECT_NEAR(result["mean"][2], 0.5, 0.02);
  ASSERT_EQ(result["ranges"].size(), 4U);  // three numbers are padded to four
  for (const auto& range : result["ranges"]) EXPECT_NEAR(range[1].get<double>() - range[0].get<double>(), 0.2, 1e-9);
  // The noise is 4 tau / sqrt(rho of a coordinate) / n, where the rho of all coordinates together is 0.03056.
  EXPECT_NEAR(result["noise_scale"], 0.2 / std::sqrt(0.0305566 / 4) / 2000, 1e-7);
  EXPECT_EQ(result["noise"], "gaussian");
  EXPECT_EQ(result["composition"], "zcdp");
  EXPECT_NEAR(result["eps_spent"], 1, 1e-9);
  EXPECT_LE(result["eps_spent"], 1);
  EXPECT_EQ(result["delta_spent"], 1e-5);
  EXPECT_EQ(result["clipped"], 0);
  EXPECT_FALSE(result.contains("insecure_seed"));
  EXPECT_EQ(result["insecure"], json::array());
}

TEST_F(RobinAggregate, TakesAHeaderAndShowsASummary) {
  folder.write("plain.csv", some_estimates(500));
  folder.write("header.csv", "a,b,c\n" + some_estimates(500));
  const std::string plain = succeed(folder, aggregate("--insecure-seed 7", "plain.csv"));
  EXPECT_EQ(plain, succeed(folder, aggregate("--insecure-seed 7", "header.csv")));
  EXPECT_THAT(plain, HasSubstr("Private mean of 500 estimates of 3 numbers"));
  EXPECT_THAT(plain, HasSubstr("nothing is private"));
  EXPECT_EQ(result_of(folder, aggregate("--insecure-seed 7 --json", "header.csv"))["insecure"],
            json::array({"insecure-seed"}));
}

TEST_F(RobinAggregate, DrawsFreshNoise) {
  folder.write("estimates.csv", some_estimates(500));
  EXPECT_NE(result_of(folder, aggregate("--json"))["mean"], result_of(folder, aggregate("--json"))["mean"]);
}

TEST_F(RobinAggregate, PicksTheBetterAccount) {
  folder.write("one.csv", "0.1\n0.11\n0.12\n0.1\n");
  const json result = result_of(folder, aggregate("--json", "one.csv"));
  EXPECT_EQ(result["composition"], "basic");  // with a single number, no delta is needed
  EXPECT_EQ(result["noise"], "laplace");
  EXPECT_EQ(result["delta_spent"], 0);
  EXPECT_EQ(result_of(folder, aggregate("--json --composition nested", "one.csv"))["composition"], "nested");
}

TEST_F(RobinAggregate, ClipsRoundTheLastRelease) {
  folder.write("estimates.csv", some_estimates(2000));
  folder.write("last.csv", "0.29,-0.21,0.51\n");
  const json result = result_of(folder, aggregate("--around last.csv --json"));
  EXPECT_EQ(result["range"], "around");
  EXPECT_EQ(result["misfire_chance"], 0);
  EXPECT_NEAR(result["mean"][2], 0.5, 0.02);
}

TEST_F(RobinAggregate, WarnsWhereRangesMisfire) {
  folder.write("estimates.csv", some_estimates(20));
  SottoProcess process(folder, aggregate("--eps 0.1"));
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("too few estimates for this epsilon"));
  EXPECT_FALSE(has(process.out(), "too few")) << process.out();
}

TEST_F(RobinAggregate, WarnsInOneLineWhereTheMeanIsWorthNothing) {
  folder.write("estimates.csv", some_estimates(20));
  const auto said = [&](const std::string& flags) {
    SottoProcess process(folder, words_of("robin aggregate --estimates estimates.csv --json " + flags));
    EXPECT_EQ(process.wait(), 0) << process.err();
    EXPECT_TRUE(process.json().contains("mean"));
    return process.err();
  };
  EXPECT_EQ(said("--bound 1 --tau 0.05 --eps 1000"), "");
  const std::pair<const char*, const char*> cases[] = {{"--bound 1 --tau 0.05 --eps 0.1", "too few estimates"},
                                                       {"--bound 0.1 --tau 0.05 --eps 1000", "more than half"},
                                                       {"--bound 1 --tau 1 --eps 0.01", "is larger than --bound 1"}};
  for (const auto& [flags, what] : cases) {
    const std::string error = said(flags);
    EXPECT_THAT(error, HasSubstr(what));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

TEST_F(RobinAggregate, RefusesInOneLine) {
  folder.write("good.csv", "0.1,0.2\n0.3,0.4\n");
  folder.write("one.csv", "0.1,0.2\n");
  folder.write("uneven.csv", "0.1,0.2\n0.3\n");
  folder.write("nan.csv", "0.1,0.2\n0.3,nan\n");
  folder.write("word.csv", "0.1,0.2\n0.3,x\n");
  expect_refusals(folder, "robin aggregate --bound 1 --tau 0.05",
                  {{"--estimates one.csv", "one.csv: one estimate only"},
                   {"--estimates uneven.csv", "uneven.csv:2: 1 cell, but the first line has 2"},
                   {"--estimates nan.csv", "nan.csv:2:2: not a finite number"},
                   {"--estimates word.csv", "word.csv:2:2: not a number"},
                   {"--estimates none.csv", "none.csv"},
                   {"--estimates good.csv --eps 0", "--eps: 0 is not"},
                   {"--estimates good.csv --eps -1", "--eps: -1 is not"},
                   {"--estimates good.csv --eps nan", "--eps: 'nan' is not"},
                   {"--estimates good.csv --eps 1e308", "--eps: 1e+308 is above"},
                   {"--estimates good.csv --delta 0", "--delta: 0 is not between"},
                   {"--estimates good.csv --delta 1", "--delta: 1 is not between"},
                   {"--estimates good.csv --composition rdp", "--composition: 'rdp'"},
                   {"--estimates good.csv --noise uniform", "--noise: expected \"gaussian\" or \"laplace\""},
                   {"--estimates good.csv --composition nested --noise gaussian", "--noise: "},
                   {"--estimates good.csv --around good.csv", "good.csv: 2 rows of 2 numbers"},
                   {"", "--estimates"}});
  for (const std::string tau : {"0", "-1", "inf", "1e-9"}) {
    expect_refused(folder, words_of("robin aggregate --estimates good.csv --bound 1 --tau " + tau), "--tau: ");
  }
}

}  // namespace
}  // namespace sotto::testing
