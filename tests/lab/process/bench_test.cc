#include <poll.h>
#include <sys/wait.h>
#include <csignal>
#include <cstdlib>
#include <set>

#include "apps/kit/files/json.h"
#include "tests/framework.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json bench(const TestFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  fs::remove(folder.path() / "page.md");
  words.insert(words.end(), {"--json", "--out", "page.md"});
  SottoProcess process(folder, words);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(process.err(), "");
  EXPECT_TRUE(folder.nothing_left());
  return process.json();
}

void expect_positive(const json& row, const std::vector<const char*>& figures) {
  for (const char* figure : figures) EXPECT_GT(row.at(figure).get<double>(), 0) << figure;
}

TEST(Bench, TimesTheFloor) {
  const TestFolder folder;
  const json result = bench(folder, {"floor", "--parties", "2", "--steps", "20"});
  EXPECT_EQ(result.at("bench"), "floor");
  EXPECT_EQ(result.at("provenance").at("command"), "sotto-lab bench floor --parties 2 --steps 20 --json --out page.md");
  const json& tables = result.at("tables");
  const json& step = tables.at("steps").at(0);
  EXPECT_EQ(step.at("parties"), 2);
  EXPECT_EQ(step.at("rounds"), 6);
  std::uint64_t largest = 0;
  for (const json& round : tables.at("frames")) {
    largest +=
        round.at("party_to_party_bytes").get<std::uint64_t>() + round.at("party_to_actor_bytes").get<std::uint64_t>();
  }
  EXPECT_EQ(step.at("sent_bytes"), largest);
  expect_positive(step, {"floor_us", "floor_least_us", "spinning_us", "blocking_us", "tls_us"});
  EXPECT_EQ(tables.at("exchanges").size(), 3u);
  EXPECT_EQ(tables.at("bandwidth").size(), 4u);
  EXPECT_EQ(tables.at("kernels").size(), 4u);
  const std::string page = contents(folder.path() / "page.md");
  EXPECT_THAT(page, HasSubstr("\nsotto-lab bench floor --parties 2 --steps 20 --json --out page.md\n"));
  EXPECT_THAT(page, HasSubstr("| parties | rounds | sent by a party, B | floor, us |"));
}

TEST(Bench, TimesTheBandit) {
  const TestFolder folder;
  for (const bool streaming : {false, true}) {
    std::vector<std::string> arguments{"bandit", "--parties", "2,3", "--steps", "20", "--repeat", "2"};
    if (streaming) arguments.emplace_back("--streaming");
    const json result = bench(folder, arguments);
    const json& tables = result.at("tables");
    ASSERT_EQ(tables.at("times").size(), 2u);
    for (const json& row : tables.at("times")) {
      EXPECT_EQ(row.at("steps"), 20);
      expect_positive(row, {"step_us", "floor_us", "times_the_floor", "twin_us"});
    }
    ASSERT_EQ(tables.at("tls").size(), 2u);
    for (const json& row : tables.at("tls")) {
      expect_positive(row, {"plain_step_us", "tls_step_us", "times_plain", "tls_rounds_per_second", "tls_floor_us"});
    }
    for (const json& row : tables.at("costs")) {
      EXPECT_EQ(row.at("rounds"), 6 + 1. / 20);
      EXPECT_EQ(row.at("dealing"), streaming ? "streaming" : "ahead");
      expect_positive(row, {"sent_bytes", "dealt_bytes", "memory_mb"});
    }
    EXPECT_EQ(tables.at("targets").size(), streaming ? 1u : 5u);
    EXPECT_THAT(contents(folder.path() / "page.md"), HasSubstr("# A step of the private bandit"));
  }
}

TEST(Bench, TimesBatches) {
  const TestFolder folder;
  const json result = bench(folder, {"bandit", "--batch", "8", "--reward-lag", "8", "--features", "4", "--arms", "3",
                                     "--steps", "40", "--repeat", "2"});
  const json& rows = result.at("tables").at("events");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_FALSE(result.at("tables").contains("times"));
  std::set<std::string> ways;
  for (const json& row : rows) {
    ways.insert(row.at("dealing").get<std::string>() + " " + row.at("link").get<std::string>());
    EXPECT_EQ(row.at("batch"), 8);
    EXPECT_EQ(row.at("reward_lag"), 8);
    EXPECT_EQ(row.at("events"), 40);
    EXPECT_DOUBLE_EQ(row.at("rounds").get<double>(), 18.0 / 8);
    EXPECT_GT(row.at("event_us"), row.at("decide_us"));
    expect_positive(row, {"events_per_second", "sent_bytes_per_event", "dealt_bytes_per_event",
                          "dealer_seconds_per_event", "floor_us", "times_the_floor", "decisions_per_second",
                          "decide_us", "decide_floor_us", "memory_mb", "twin_us"});
  }
  EXPECT_EQ(ways, (std::set<std::string>{"ahead TCP", "ahead TLS", "streaming TCP", "streaming TLS"}));
  std::set<std::string> ratios;
  for (const json& row : result.at("tables").at("ratios")) {
    expect_positive(row, {"ratio", "least", "over_us", "under_us"});
    ratios.insert(row.at("what"));
  }
  EXPECT_EQ(ratios, (std::set<std::string>{"event over floor", "deciding over floor", "TLS over plain TCP",
                                           "all roles at once over dealt ahead"}));
}

TEST(Bench, TimesModesBesideADealer) {
  const TestFolder folder;
  const json result =
      bench(folder, {"modes", "--batch", "1,4", "--features", "4", "--arms", "3", "--steps", "8", "--repeat", "1"});
  std::vector<std::string> makers;
  for (const json& row : result.at("tables").at("times")) {
    makers.push_back(row.at("preprocessing"));
    EXPECT_EQ(row.at("parties"), makers.size() <= 6 ? 3 : 2);
    EXPECT_EQ(row.at("steps"), 8);
    EXPECT_EQ(row.at("update").is_null(), row.at("batch") == 4);
    expect_positive(row, {"all_us", "steps_per_second", "times_the_dealer", "online_us", "online_times_the_dealer",
                          "preprocessing_us"});
    if (makers.back() == "dealer") {
      EXPECT_EQ(row.at("times_the_dealer"), 1);
    }
  }
  std::vector<std::string> expected;
  for (const char* mode : {"replicated", "helper", "ot"}) {
    for (int i = 0; i < 3; ++i) expected.insert(expected.end(), {mode, "dealer"});
  }
  EXPECT_EQ(makers, expected);
  for (const json& row : result.at("tables").at("bytes")) {
    expect_positive(row, {"sent_bytes", "online_bytes", "rounds"});
    const bool dealt = row.at("preprocessing") == "dealer";
    EXPECT_EQ(row.at("dealt_bytes").is_null(), !dealt);
    EXPECT_EQ(row.at("preprocessing_bytes") == 0, dealt);
    EXPECT_EQ(row.at("preprocessing_rounds") == 0, dealt);
  }
  // Targets exist only for 20 features and 10 arms.
  EXPECT_FALSE(result.at("tables").contains("targets"));
  EXPECT_THAT(contents(folder.path() / "page.md"), HasSubstr("# The bandit without a dealer"));
}

TEST(Bench, ShowsTheArithmeticOfO3m) {
  const TestFolder folder;
  const json result = bench(folder, {"o3m", "--size", "12x3,20x4", "--steps", "5", "--textbook-steps", "1",
                                     "--participants", "3", "--runs", "1"});
  const json& runs = result.at("tables").at("runs");
  ASSERT_EQ(runs.size(), 8u);
  for (const json& run : runs) {
    EXPECT_EQ(run.at("arms_equal"), true);
    EXPECT_GT(run.at("end_to_end_us"), run.at("playing_us"));
    const std::uint64_t numbers = 2 * run.at("arms").get<std::uint64_t>() * run.at("dimension").get<std::uint64_t>();
    EXPECT_GT(run.at("received_bytes").get<double>(), 8.0 * static_cast<double>(numbers));
  }
  const json& rows = result.at("tables").at("times");
  ASSERT_EQ(rows.size(), 4u);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("participants"), 3);
    expect_positive(
        row, {"active_us", "joining_us", "playing_us", "twin_us", "passive_us", "textbook_us", "times_the_twin"});
  }
  EXPECT_EQ(rows[0].at("dimension"), 12);
  EXPECT_EQ(rows[3].at("arms"), 4);
  EXPECT_THAT(contents(folder.path() / "page.md"), HasSubstr("# A step of O3M"));
  for (const std::string bad :
       {"100", "x10", "100x", "0x1", "2x1", "100x10x", "100x0", "1e3x10", "100000x10", "100x100000", "-100x10"}) {
    SottoProcess process(folder, {"bench", "o3m", "--size", bad});
    EXPECT_EQ(process.wait(), 2) << bad;
    EXPECT_THAT(process.error(), HasSubstr("--size")) << bad;
  }
}

TEST(Bench, EndsAtOnceWhenInterrupted) {
  const TestFolder folder;
  for (const std::string what : {"floor", "bandit"}) {
    SottoProcess process(folder, {"bench", what, "--parties", "2", "--steps", "200000"});
    siginfo_t end{};
    while (process.children().empty()) {
      ::waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT);
      ASSERT_EQ(end.si_pid, 0) << process.err();
      ::poll(nullptr, 0, 5);
    }
    const std::vector<pid_t> children = process.children();
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(), 130);
    EXPECT_EQ(process.error(), "sotto: interrupted");
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_TRUE(folder.nothing_left());
  }
}

bool has_wrk() { return std::system("command -v wrk >/dev/null") == 0; }

TEST(Bench, DrivesTheDecisionService) {
  if (!has_wrk()) GTEST_SKIP() << "wrk is not installed";
  const TestFolder folder;
  const json result =
      bench(folder, {"live", "--load", "idle,batches,single,link", "--features", "4", "--arms", "3", "--delays", "1ms",
                     "--lines", "8", "--connections", "2", "--pushed", "5000", "--seconds", "1"});
  const json& tables = result.at("tables");
  ASSERT_EQ(tables.at("load").size(), 3u);
  for (const json& row : tables.at("load")) {
    expect_positive(row, {"decided", "decisions_per_second", "p50_ms", "p99_ms", "longest_ms"});
    EXPECT_EQ(row.at("errors"), 0);
    EXPECT_LE(row.at("p50_ms"), row.at("p99_ms"));
  }
  EXPECT_EQ(tables.at("load")[0].at("lines"), 8);
  EXPECT_EQ(tables.at("load")[1].at("lines"), 1);
  EXPECT_EQ(tables.at("load")[2].at("link"), "delay 1ms");
  EXPECT_EQ(tables.at("targets").size(), 0u) << "those are of another service";
  ASSERT_EQ(tables.at("roles").size(), 20u);
  for (const json& row : tables.at("roles")) {
    if (row.at("what") == "idle") continue;
    expect_positive(row, {"syncs", "sync_ms"});
  }
  EXPECT_EQ(tables.at("order").size(), 3u) << "an idle service decides nothing";
  for (const json& row : tables.at("order")) expect_positive(row, {"decides", "events_of_decide", "decide_rounds_ms"});
}

TEST(Bench, SaysThatWrkIsMissing) {
  const TestFolder folder;
  SottoProcess process(folder, {"bench", "live"}, Surroundings{{"/usr/bin/env", "PATH=/nowhere"}, {}});
  EXPECT_EQ(process.wait(), 6) << process.err();
  EXPECT_EQ(process.error(), "sotto: wrk, which drives the service, is not installed: run `apt-get install wrk`");
}

TEST(Bench, TheWideAreaIsPlotted) {
  const TestFolder folder;
  SottoProcess process(
      folder, {"bench", "wan", "--delays", "1ms,2ms", "--parties", "2", "--arms", "2,3", "--features", "4", "--batch",
               "1,8", "--seconds", "0.05", "--repeat", "1", "--json", "--out", "results"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  const json rows = process.json().at("tables").at("wan");
  EXPECT_EQ(rows.size(), 8u);
  for (const json& row : rows) {
    if (row.at("batch") != 1) {
      EXPECT_EQ(row.at("rounds"), 18);
    }
    EXPECT_EQ(row.at("steps").get<int>() % row.at("batch").get<int>(), 0);
    // The delays are per event, and the events of a batch share the batch's rounds.
    const double delays =
        row.at("rounds").get<double>() * row.at("delay_ms").get<double>() / row.at("batch").get<double>();
    EXPECT_NEAR(row.at("delays_ms").get<double>(), delays, 1e-9);
    EXPECT_NEAR(row.at("events_per_second").get<double>() * row.at("measured_ms").get<double>(), 1000, 1e-6);
  }
  for (const char* file : {"wan.md", "wan.html", "wan-delay.svg", "wan-arms.svg"}) {
    EXPECT_GT(fs::file_size(folder.path() / "results" / file), 500u) << file;
  }
  EXPECT_TRUE(folder.nothing_left());
}

TEST(Serve, Soak) {
  const TestFolder folder;
  const json result =
      result_of(folder, {"soak", "--decisions", "3000", "--kills", "20", "--at-once", "300", "--seed", "3", "--json"});
  const json& events = result.at("tables").at("events").at(0);
  const json& service = result.at("tables").at("service").at(0);
  const json& calls = result.at("tables").at("calls").at(0);
  EXPECT_EQ(service.at("kills"), 20);
  EXPECT_GE(service.at("pairs"), 1);
  EXPECT_EQ(events.at("decided").get<int>() + events.at("baselines").get<int>(), 3000);
  EXPECT_GT(events.at("rewards"), 0);
  EXPECT_GT(events.at("missing_rows"), 0);
  EXPECT_EQ(calls.at("wrong"), 0);
  EXPECT_EQ(calls.at("model_is_right"), true);
  // The test sends one request for each event. For each decided event, the test also sends the features of both parties
  // and a reward.
  EXPECT_GE(calls.at("checked").get<int>(), 3000 + 3 * events.at("decided").get<int>());
  EXPECT_TRUE(folder.nothing_left());
}

TEST(Serve, SoakOfFiveParties) {
  const TestFolder folder;
  const json result = result_of(folder, {"soak", "--decisions", "600", "--kills", "4", "--parties", "5", "--at-once",
                                         "100", "--roles", "party_4,actor", "--json"});
  const json& calls = result.at("tables").at("calls").at(0);
  EXPECT_EQ(calls.at("wrong"), 0);
  EXPECT_EQ(calls.at("model_is_right"), true);
}

TEST(Serve, SoakKnowsItsRoles) {
  const TestFolder folder;
  expect_refused(folder, {"soak", "--roles", "party_7"}, "there is no role party_7: expected one of");
}

}  // namespace
}  // namespace sotto::testing
