// `sotto robin` as a user runs it: the aggregator and the clients as processes, faults, bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "sotto/apps/robin/instance.h"
#include "sotto/apps/robin/play.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words robin(const Words& more) {
  Words words{"robin"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json run(const TestFolder& folder, const Words& words) {
  SottoProcess process(folder, robin(words));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(folder.nothing_left());
  return process.json();
}

// A log of one client: 3 arms, 2 features, rewards near a linear model of them.
std::string log_of(unsigned client, std::size_t steps, const char* features = "a,b") {
  std::mt19937 random(client);
  std::uniform_real_distribution<double> feature(-0.7, 0.7);
  std::string text = std::string("t,arm,") + features + ",reward,mean\n";
  for (std::size_t t = 0; t < steps; ++t) {
    for (int arm = 0; arm < 3; ++arm) {
      const double a = feature(random);
      const double b = feature(random);
      const double mean = 0.6 * a - 0.8 * b;
      text += std::to_string(t) + "," + std::to_string(arm) + "," + std::to_string(a) + "," + std::to_string(b) + "," +
              std::to_string(mean + feature(random) / 7) + "," + std::to_string(mean) + "\n";
    }
  }
  return text;
}

Words logs(const TestFolder& folder, unsigned clients, std::size_t steps) {
  Words words;
  for (unsigned i = 0; i < clients; ++i) {
    const std::string name = "c" + std::to_string(i) + ".csv";
    (void)folder.write(name, log_of(i, steps));
    words.insert(words.end(), {"--client", name});
  }
  return words;
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// Processes or one process, the result is the same to the last bit.
TEST(Robin, RolesPlayWhatOneProcessPlays) {
  for (const std::size_t clients : {2u, 3u, 5u, 20u}) {
    const TestFolder folder;
    const std::string epsilon = clients < 5 ? "1000" : "200";
    const json result = run(folder, {"--clients", std::to_string(clients), "--eps", epsilon, "--horizon", "510",
                                     "--insecure-seed", "7", "--json"});
    apps::RobinSettings settings;
    settings.clients = clients;
    settings.epsilon = std::stod(epsilon);
    settings.horizon = 510;
    const auto instance = apps::simulated_instance(apps::checked(settings));
    const std::atomic<bool> never{false};
    const apps::RobinOutcome one =
        apps::play_robin(apps::resolved(settings, *instance), instance, apps::Coins::insecure(7), {}, {}, never);
    ASSERT_EQ(one.decision.mode, apps::RobinMode::federated);
    EXPECT_NEAR(result.at("regret_per_client"), *one.regret_per_client, 1e-9);
    EXPECT_NEAR(result.at("regret_local"), *one.regret_local, 1e-9);
    EXPECT_NEAR(result.at("regret_nonprivate"), *one.regret_nonprivate, 1e-9);
    EXPECT_EQ(result.at("eps_spent"), one.epsilon_spent);
    EXPECT_LE(result.at("eps_spent"), settings.epsilon);
    EXPECT_EQ(result.at("delta"), 1e-5);
    EXPECT_EQ(result.at("delta_spent"), one.delta_spent);
    EXPECT_EQ(result.at("refused"), false);
    EXPECT_EQ(result.at("status"), "complete");
    EXPECT_EQ(result.at("insecure"), json::array({"insecure-seed"}));
    EXPECT_EQ(result.at("releases").size(), one.releases.size());
    EXPECT_EQ(result.at("phases").size(), one.phases.size());
    EXPECT_EQ(result.at("estimate").size(), 4u);
    const std::size_t processes = result.at("roles").size();
    EXPECT_TRUE(clients <= 8 ? processes == clients + 1 : processes < clients) << processes;
  }
}

TEST(Robin, WithoutASeedTheNoiseIsFresh) {
  const TestFolder folder;
  const Words words{"--clients", "20", "--eps", "200", "--horizon", "510", "--no-twins", "--json"};
  const json first = run(folder, words);
  const json second = run(folder, words);
  EXPECT_NE(first.at("estimate"), second.at("estimate"));
  EXPECT_EQ(first.at("insecure"), json::array());
  EXPECT_EQ(first.at("regret_local"), nullptr);
}

TEST(Robin, TooFewClientsAreRefusedAndNothingIsSpent) {
  const TestFolder folder;
  SottoProcess process(folder, robin({"--clients", "50", "--json", "--out", "run"}));
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.error().find("--adaptive"), std::string::npos) << process.err();
  json printed = process.json();
  EXPECT_EQ(printed.at("exit_code"), 2);
  printed.erase("exit_code");  // of the command, not of the run
  EXPECT_EQ(printed.at("refused"), true);
  EXPECT_EQ(printed.at("status"), "refused");
  EXPECT_EQ(printed.at("eps_spent"), 0);
  EXPECT_EQ(printed.at("regret_per_client"), nullptr);
  EXPECT_GT(printed.at("enough_clients"), 50);
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")), printed);
  EXPECT_NE(contents(folder.path() / "run" / "report.html").find("refused"), std::string::npos);
}

// On a terminal both streams meet.
TEST(Robin, TheReasonOfARefusalIsSaidOnce) {
  const TestFolder folder;
  SottoProcess process(folder, robin({"--clients", "50", "--out", "run"}));
  EXPECT_EQ(process.wait(), 2);
  EXPECT_NE(process.err().find("too few"), std::string::npos) << process.err();
  EXPECT_EQ(process.out().find("too few"), std::string::npos) << process.out();
  EXPECT_NE(process.out().find("epsilon spent     0 "), std::string::npos) << process.out();
  EXPECT_NE(process.out().find("run.json"), std::string::npos) << process.out();
}

TEST(Robin, TheNoiseFollowsTheComposition) {
  const TestFolder folder;
  for (const auto& [composition, delta] : {std::pair{"basic", 0.0}, {"nested", 1e-5}}) {
    const json result = run(folder, {"--clients", "200", "--eps", "5000", "--horizon", "510", "--no-twins", "--json",
                                     "--composition", composition});
    EXPECT_EQ(result.at("noise"), "laplace");
    EXPECT_EQ(result.at("mode"), "federated");
    EXPECT_EQ(result.at("delta"), delta);
    EXPECT_EQ(result.at("delta_spent"), delta);
  }
}

TEST(Robin, AdaptiveClientsPlayByThemselves) {
  const TestFolder folder;
  const json result = run(folder, {"--clients", "5", "--adaptive", "--horizon", "510", "--json"});
  EXPECT_EQ(result.at("mode"), "local");
  EXPECT_EQ(result.at("refused"), false);
  EXPECT_EQ(result.at("eps_spent"), 0);
  EXPECT_EQ(result.at("releases"), json::array());
  EXPECT_NEAR(result.at("regret_per_client"), result.at("regret_local"), 1e-9);
}

TEST(Robin, LoggedClientsPlayTheirFiles) {
  const TestFolder folder;
  Words words = logs(folder, 3, 254);
  append(words, {"--eps", "2000", "--noise-sd", "0.1", "--init-phases", "5", "--json"});
  const json result = run(folder, words);
  EXPECT_EQ(result.at("clients"), 3);
  EXPECT_EQ(result.at("dimension"), 2);
  EXPECT_EQ(result.at("arms"), 3);
  EXPECT_EQ(result.at("horizon"), 254);
  EXPECT_EQ(result.at("mode"), "federated");
  EXPECT_EQ(result.at("simulated"), false);
  EXPECT_EQ(result.at("files"), json::array({"c0.csv", "c1.csv", "c2.csv"}));
  EXPECT_EQ(result.at("releases").size(), 2u);
  EXPECT_LT(result.at("regret_per_client"), 40.0);
  EXPECT_EQ(result.at("roles").size(), 4u);
}

TEST(Robin, FeaturesAndRewardsOutsideTheBoundsAreClippedAndCounted) {
  const TestFolder folder;
  // All arms of the first step.
  std::string far = "t,arm,a,b,reward,mean\n";
  for (int arm = 0; arm < 3; ++arm) far += "0," + std::to_string(arm) + ",30,40,5000,0.2\n";
  const std::string rest = log_of(9, 254);
  std::size_t fourth = 0;
  for (int line = 0; line < 4; ++line) fourth = rest.find('\n', fourth) + 1;
  far += rest.substr(fourth);
  Words words = logs(folder, 2, 254);
  (void)folder.write("far.csv", far);
  append(words,
         {"--client", "far.csv", "--eps", "2000", "--noise-sd", "0.1", "--init-phases", "5", "--json", "--no-twins"});
  const json result = run(folder, words);
  EXPECT_EQ(result.at("clipped").at("features"), 3);
  EXPECT_EQ(result.at("clipped").at("rewards"), 1);
}

struct Bad {
  Words words;
  std::string says;
  int code = 2;
};

TEST(Robin, BadInputIsOneLine) {
  const TestFolder folder;
  const Words three = logs(folder, 3, 62);
  (void)folder.write("wide.csv", [] {
    std::string text = "t,arm,a,b,c,reward\n";
    for (int arm = 0; arm < 3; ++arm) text += "0," + std::to_string(arm) + ",.1,.2,.3,.4\n";
    return text;
  }());
  (void)folder.write("nan.csv", "t,arm,a,b,reward\n0,0,0.1,nan,0.7351928\n");
  const auto with = [&](const Words& more) {
    Words words = three;
    append(words, more);
    return words;
  };
  for (const Bad& bad : std::vector<Bad>{
           {{"--eps", "0"}, "--eps"},
           {{"--eps", "-1"}, "--eps"},
           {{"--eps", "nan"}, "--eps"},
           {{"--eps", "1e308"}, "no promise at all"},
           {{"--composition", "nested", "--noise", "gaussian"}, "--noise"},
           {{"--delta", "0"}, "--delta"},
           {{"--delta", "1"}, "--delta"},
           {{"--delta", "-0.1"}, "--delta"},
           {{"--clients", "1"}, "--clients"},
           {{"--clients", "0"}, "--clients"},
           {{"--clients", "-5"}, "--clients"},
           {{"--dim", "0"}, "--dim"},
           {{"--arms", "0"}, "--arms"},
           {{"--horizon", "3"}, "--horizon"},
           {{"--noise", "none"}, "--noise"},
           {{"--range", "none"}, "--range"},
           {{"--composition", "none"}, "--composition"},
           {{"--deadline", "0"}, "--deadline"},
           {{"--deadline", "nan"}, "--deadline"},
           {{"--client", "c0.csv"}, "--client"},
           {{"--client", "c0.csv", "--client", "no.csv"}, "no.csv"},
           {with({"--client", "wide.csv"}), "wide.csv"},
           {with({"--client", "nan.csv"}), "nan.csv"},
           {with({"--client", "./c1.csv"}), "./c1.csv is given twice"},
           {with({"--horizon", "63"}), "--horizon"},
           {with({"--clients", "3"}), "--client"},
           {{"--unknown"}, "--unknown"},
       }) {
    SottoProcess process(folder, robin(bad.words));
    EXPECT_EQ(process.wait(), bad.code) << bad.says;
    const std::string error = process.err();
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_NE(error.find(bad.says), std::string::npos) << error << " does not say " << bad.says;
    EXPECT_EQ(error.find("7351928"), std::string::npos) << error;
    EXPECT_EQ(process.out(), "");
    EXPECT_FALSE(fs::exists(folder.path() / "sotto-runs"));
  }
}

// A child of that role, while the run lasts; -1 once it has ended.
pid_t child_with(const SottoProcess& process, const std::string& word) {
  while (runs(process.pid())) {
    for (const pid_t child : process.children()) {
      if (contents(fs::path("/proc") / std::to_string(child) / "cmdline").find(word) != std::string::npos) {
        return child;
      }
    }
  }
  return -1;
}

// So long that it is never over by itself in a test.
const Words long_run{"--clients", "3", "--eps", "100000", "--horizon", "1073741822", "--json"};

TEST(Robin, AKilledRoleIsNamedAndTheRunWrittenDown) {
  const TestFolder folder;
  for (const char* role : {"aggregator.json", "client_1.json"}) {
    const std::string out = std::string("run-") + role;
    Words words = long_run;
    append(words, {"--out", out});
    SottoProcess process(folder, robin(words));
    const pid_t victim = child_with(process, role);
    ASSERT_GT(victim, 0);
    ::kill(victim, SIGKILL);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_NE(process.error().find("killed by signal 9"), std::string::npos) << process.err();
    const json written = json::parse(contents(folder.path() / out / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_NE(written.at("error").get<std::string>().find("killed by signal 9"), std::string::npos);
    EXPECT_EQ(written.at("regret_per_client"), nullptr);
    EXPECT_LE(written.at("eps_spent"), 100000.0);
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Robin, WhatAnAggregatorReleasedBeforeItWasKilledIsSpent) {
  const TestFolder folder;
  Words words = long_run;
  append(words, {"--out", "run"});
  SottoProcess process(folder, robin(words));
  const pid_t aggregator = child_with(process, "aggregator.json");
  ASSERT_GT(aggregator, 0);
  // Its report is there once it has released something.
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

TEST(Robin, AnInterruptEndsAllAndSaysWhatWasSpent) {
  const TestFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Words words = long_run;
    append(words, {"--out", "run"});
    SottoProcess process(folder, robin(words));
    std::vector<pid_t> children;
    while (children.size() < 4 && runs(process.pid())) children = process.children();
    ASSERT_EQ(children.size(), 4u);
    process.signal(signal);
    EXPECT_EQ(process.wait(), 130) << process.err();
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    const json written = json::parse(contents(folder.path() / "run" / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_EQ(written.at("eps_spent"), process.json().at("eps_spent"));
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Robin, AClientThatNeverReportsEndsTheRunAtTheDeadline) {
  const TestFolder folder;
  Words words = long_run;
  append(words, {"--deadline", "1"});
  SottoProcess process(folder, robin(words));
  EXPECT_EQ(process.wait(), 3) << process.err();
  EXPECT_NE(process.error().find("within 1 s"), std::string::npos) << process.err();
  const json result = process.json();
  EXPECT_EQ(result.at("status"), "failed");
  EXPECT_EQ(result.at("eps_spent").get<double>() > 0, !result.at("releases").empty());
}

TEST(Robin, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TestFolder folder;
  (void)folder.write("file", "");
  SottoProcess process(folder, robin({"--clients", "5", "--adaptive", "--out", "file"}));
  EXPECT_EQ(process.wait(), 6);
  EXPECT_NE(process.error().find("--out"), std::string::npos) << process.err();
}

TEST(Robin, TheSummaryAndThePageSayWhoLearnsWhat) {
  const TestFolder folder;
  SottoProcess process(
      folder, robin({"--clients", "20", "--eps", "200", "--horizon", "510", "--out", "run", "--insecure-plaintext"}));
  EXPECT_EQ(process.wait(), 0) << process.err();
  const std::string summary = process.out();
  for (const char* word : {"regret", "local twin", "non-private twin", "epsilon spent", "INSECURE: insecure-plaintext",
                           "The aggregator is trusted"}) {
    EXPECT_NE(summary.find(word), std::string::npos) << summary;
  }
  const std::string page = contents(folder.path() / "run" / "report.html");
  for (const char* word : {"Who learns what", "What was released", "Insecure run", "</html>"}) {
    EXPECT_NE(page.find(word), std::string::npos);
  }
}

}  // namespace
}  // namespace sotto::testing
