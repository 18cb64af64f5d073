#include <sys/wait.h>

#include <csignal>

#include "sotto/protocol/async/pool.h"
#include "tests/apps/bandit/run/sites/test_world.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

class Bandit : public ::testing::Test {
 protected:
  Bandit() { write_small_run(folder_, "0.2,-0.1,0.3", "-0.3,0.25,0.05", 4, 60); }
  const Words long_run_ = small_run({"--steps", "200000", "--json"});
  TestFolder folder_;
};

TEST_F(Bandit, RunsOnRealProcesses) {
  for (const char* more : {"", "--deal-ahead", "--separate-rewarder", "--separate-rewarder --deal-ahead --steps 130"}) {
    const json result = result_of(folder_, joined(small_run({"--json"}), words_of(more)));
    EXPECT_EQ(result.at("status"), "complete");
    EXPECT_EQ(result.at("rounds_per_step"), 6 + 1 / result.at("steps").get<double>());
    EXPECT_GT(result.at("bytes_per_step"), 0.0);
    EXPECT_GT(result.at("dealt_bytes_per_step"), 0.0);
    EXPECT_GT(result.at("online_seconds"), 0.0);
    EXPECT_GT(result.at("dealer_seconds"), 0.0);
    EXPECT_EQ(result.at("steps"), has(more, "130") ? 130 : 60);
  }
}

TEST_F(Bandit, HasADemo) {
  const Words demo = words_of("demo --steps 40 --out demo");
  SottoProcess first(folder_, demo);
  ASSERT_EQ(first.wait(), 0) << first.err();
  EXPECT_TRUE(has(first.out(), "The parties together earned 0.") || has(first.out(), "Joining is not shown"));
  const json result = json::parse(contents(folder_.path() / "demo" / "run" / "run.json"));
  EXPECT_EQ(result.at("steps"), 40);
  EXPECT_EQ(result.at("features"), 20);
  EXPECT_EQ(result.at("arms"), 10);
  expect_refused(folder_, demo, "--overwrite");
  SottoProcess again(folder_, joined(demo, {"--overwrite"}));
  EXPECT_EQ(again.wait(), 0) << again.err();
}

TEST_F(Bandit, SaysWhatItWasWorth) {
  const Words words = small_run({"--baseline", "1", "--reward-unit", "EUR", "--events-per-month", "3000"});
  SottoProcess run(folder_, words);
  ASSERT_EQ(run.wait(), 0) << run.err();
  EXPECT_TRUE(has(run.out(), " than arm 1")) << run.out();
  EXPECT_TRUE(has(run.out(), "At 3,000 events a month that is ")) << run.out();
  EXPECT_TRUE(has(run.out(), " EUR a month ")) << run.out();
  const json result = result_of(folder_, joined(words, {"--json", "--no-compare-parts"}));
  EXPECT_EQ(result.at("baseline_arm").at("arm"), 1);
  EXPECT_NEAR(result.at("baseline_arm").at("average_reward").get<double>(), .25, 1e-12);
  EXPECT_EQ(result.at("worth").at("lifts").size(), 2U);
  EXPECT_FALSE(result.contains("compare_parts"));
  EXPECT_GE(result.at("plaintext_plays"), 20);
  expect_refused(folder_, small_run({"--baseline", "4"}), "there is no arm 4: arms are 0 to 3");
  expect_refused(folder_, small_run({"--reward-unit", "EUR"}), "--events-per-month");
}

TEST_F(Bandit, RunsInBatchesOnRealProcesses) {
  const Words base = small_run({"--json", "--compare-plaintext", "--reveal-model", "--pull-delay", "until 1ms"});
  for (const char* more : {"--batch 16", "--batch 16 --reward-lag 9 --separate-rewarder",
                           "--batch 7 --reward-lag 30 --deal-ahead --separate-rewarder", "--reward-lag 5"}) {
    const json result = result_of(folder_, joined(base, words_of(more)));
    EXPECT_EQ(result.at("status"), "complete");
    const double batch = result.at("batch").get<double>();
    const double batches = std::ceil(60 / batch);
    EXPECT_EQ(result.at("rounds_per_step"), batches * 18 / 60) << more;
    EXPECT_EQ(result.at("reward_lag"), has(more, "lag 9") ? 9 : has(more, "lag 30") ? 30 : has(more, "lag 5") ? 5 : 0);
    EXPECT_EQ(result.at("batches").at("decide_rounds"), 5);
    EXPECT_EQ(result.at("batches").at("learn_rounds"), 13);
    EXPECT_EQ(result.at("step_rounds").size(), 18u);
    EXPECT_EQ(result.at("step_rounds").at(5).at("phase"), "learn");
    EXPECT_EQ(result.at("sent_bytes_per_event"), result.at("bytes_per_step"));
    EXPECT_EQ(result.at("dealt_bytes_per_event"), result.at("dealt_bytes_per_step"));
    EXPECT_GT(result.at("events_per_second"), 0.0);
    EXPECT_GT(result.at("dealer_seconds_per_event"), 0.0);
    EXPECT_EQ(result.at("reward_curve").back().at("step"), 60);
    EXPECT_EQ(result.at("compare_plaintext").at("steps"), 60);
    EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 2e-3);
  }
}

TEST_F(Bandit, RunsInBatchesOfManyPartiesAndArms) {
  folder_.write("c.csv", rows_in_turn("0.1,0.2", "0.3,-0.1", 60));
  const json result = result_of(folder_, small_run({"--json", "--party", "c.csv", "--arms", "70", "--batch", "20",
                                                    "--steps", "80", "--compare-plaintext", "--reveal-model"}));
  EXPECT_EQ(result.at("parties"), 3);
  EXPECT_EQ(result.at("arms"), 70);
  EXPECT_EQ(result.at("rounds_per_step"), 4.0 * (10 + 13) / 80);
  EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 2e-3);
}

TEST_F(Bandit, RefusesBatchesThatCannotBe) {
  expect_refused(folder_, small_run({"--batch", "0"}), "--batch");
  expect_refused(folder_, small_run({"--batch", "1926"}), "1 to 1925 events");
  expect_refused(folder_, small_run({"--batch", "64", "--steps", "2000000000"}), "--steps");
  expect_refused(folder_, small_run({"--reward-lag", "-1"}), "--reward-lag");
}

TEST_F(Bandit, TheModelAndTheComparisonAreThereWhereAskedFor) {
  const json result = result_of(folder_, small_run({"--json", "--reveal-model", "--compare-plaintext"}));
  EXPECT_EQ(result.at("weights").size(), 4u);
  EXPECT_EQ(result.at("weights").at(0).size(), 6u);
  EXPECT_EQ(result.at("inverse_matrices").at(3).at(5).size(), 6u);
  EXPECT_TRUE(result.contains("compare_plaintext"));
}

void strip_measured(json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      const bool varies =
          it.key().find("second") != std::string::npos || it.key() == "started" || it.key() == "peak_memory_bytes";
      if (varies) {
        it = value.erase(it);
      } else {
        strip_measured(*it);
        ++it;
      }
    }
  } else if (value.is_array()) {
    for (json& element : value) strip_measured(element);
  }
}

TEST_F(Bandit, AnInsecureSeedRepeatsARun) {
  const auto arguments = small_run({"--json", "--insecure-seed", "11", "--repeat", "2", "--reveal-model"});
  json first = result_of(folder_, arguments);
  json second = result_of(folder_, arguments);
  strip_measured(first);
  strip_measured(second);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(first.contains("average_reward_sd"));
}

TEST_F(Bandit, ARoleThatIsKilledIsNamedAndAllEnd) {
  const std::pair<const char*, std::string> roles[] = {{"party_0.toml", "party 0"},
                                                       {"party_1.toml", "party 1"},
                                                       {"dealer.toml", "the dealer"},
                                                       {"actor.toml", "actor"},
                                                       {"rewarder.toml", "rewarder"}};
  for (const auto& [key, name] : roles) {
    SottoProcess process(folder_, joined(long_run_, {"--separate-rewarder"}));
    const pid_t victim = process.busy_child(key);
    const std::vector<pid_t> children = process.children();
    EXPECT_EQ(children.size(), 5u);
    const auto begin = std::chrono::steady_clock::now();
    ::kill(victim, SIGKILL);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_THAT(process.error(), HasSubstr("sotto: " + name + " was killed by signal 9"));
    EXPECT_EQ(process.json().at("status"), "failed");
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_TRUE(folder_.nothing_left());
  }
}

TEST_F(Bandit, AnInterruptEndsAll) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SottoProcess process(folder_, long_run_);
    (void)process.busy_child("party_1.toml");
    expect_interrupted(process, folder_, 4, signal);
  }
}

TEST_F(Bandit, ChildrenDieWithTheirParent) {
  std::vector<pid_t> children;
  {
    SottoProcess process(folder_, long_run_);
    (void)process.busy_child("party_0.toml");
    children = process.children();
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait(), 1000 + SIGKILL);
  }
  ASSERT_EQ(children.size(), 4u);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (const pid_t child : children) {
    while (runs(child) && std::chrono::steady_clock::now() < end) ::poll(nullptr, 0, 5);
    EXPECT_FALSE(runs(child));
  }
}

TEST_F(Bandit, BadInputIsOneLineThatNamesTheFile) {
  folder_.write("ragged.csv", "a,b\n1,2\n3\n");
  folder_.write("words.csv", "a,b\n0.1,0.2\n0.1,zwei\n");
  folder_.write("infinite.csv", "a,b\n0.1,inf\n");
  folder_.write("few.csv", "a\n0.1\n0.2\n");
  folder_.write("empty.csv", "");
  for (const std::string command : {"bandit", "plan"}) {
    expect_refusals(folder_, command + " --party a.csv --environment labels.csv",
                    {{"", "--party"},
                     {"--party none.csv", "none.csv"},
                     {"--party ragged.csv", "ragged.csv:3"},
                     {"--party words.csv", "words.csv:3:2"},
                     {"--party infinite.csv", "infinite.csv:2:2"},
                     {"--party few.csv", "few.csv: 2 rows"},
                     {"--party empty.csv", "empty.csv"},
                     {"--party b.csv --max-norm 1 --arms 2", "labels.csv"},
                     {"--party b.csv --max-norm 9", "8"},
                     {"--party b.csv --max-norm 0.01", command == "plan" ? "party 0" : "a.csv"},
                     {"--party b.csv --epsilon 2", "epsilon"},
                     {"--party b.csv --no-such-flag", "no-such-flag"}});
    expect_refusals(folder_, command,
                    {{"--environment labels.csv", "--party"},
                     {"--party a.csv --party b.csv", "--environment"},
                     {"--party a.csv --party b.csv --environment none.csv", "none.csv"}});
  }
}

// Resident pages of programs and libraries come and go, so two similar runs differ by up to 600 kB. If memory grows by
// sixty bytes a step, the growth exceeds the allowance. Every coroutine frame of a step has more than sixty bytes.
constexpr std::uint64_t allowance = 1024 * 1024;
constexpr std::uint64_t short_run = 2'000;
constexpr std::uint64_t long_run = 20'000;

std::map<std::string, std::uint64_t> peaks_of(const TestFolder& folder, std::uint64_t steps) {
  SottoProcess process(folder, small_run({"--separate-rewarder", "--json", "--steps", std::to_string(steps)}));
  EXPECT_EQ(process.wait(), 0) << process.err();
  std::map<std::string, std::uint64_t> peaks;
  const json result = process.json();
  for (const json& role : result.at("roles")) peaks[role.at("role")] = role.at("peak_memory_bytes");
  peaks["the launcher and all roles"] = process.peak_memory_bytes();
  return peaks;
}

TEST(Memory, DoesNotGrowWithTheSteps) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers keep freed memory for a while";
  const TestFolder folder;
  write_small_run(folder, "0.5", "-0.25", 2, 3);
  const auto before = peaks_of(folder, short_run);
  const auto after = peaks_of(folder, long_run);
  ASSERT_EQ(before.size(), 6u);
  ASSERT_EQ(after.size(), 6u);
  for (const auto& [role, bytes] : before) {
    EXPECT_GT(bytes, 1'000'000u) << role;
    EXPECT_LE(after.at(role), bytes + allowance) << role << ": " << bytes << " bytes after " << short_run << " steps, "
                                                 << after.at(role) << " after " << long_run;
  }
}

}  // namespace

namespace {

constexpr int world_rows = 60;

class World : public ::testing::Test {
 protected:
  World() {
    write_small_run(folder_, rows_of_parties[0][0], rows_of_parties[0][1], 4, world_rows);
    folder_.write("b.csv", rows_in_turn(rows_of_parties[1][0], rows_of_parties[1][1], world_rows));
  }
  static constexpr const char* rows_of_parties[2][2] = {{"0.2,-0.1,0.3", "-0.3,0.25,0.05"}, {"0.1,0.4", "-0.2,0"}};

  static std::optional<std::string> answer(const std::string& greeting, const std::string& line) {
    const json asked = json::parse(line);
    const json told = json::parse(greeting);
    const auto step = asked.at("step").get<std::size_t>() % world_rows;
    const auto name = told.at("line").get<std::string>();
    if (name == "world") {
      EXPECT_EQ(asked.size(), 2u) << "the world is told nothing but arms";
      return asked.at("arm").get<std::size_t>() == step % 4 ? "{\"reward\":1}\n" : "{\"reward\":0}\n";
    }
    EXPECT_EQ(asked.size(), 1u) << "a party is asked for nothing but its row";
    const std::size_t party = name == "party 0" ? 0 : 1;
    return std::string("{\"x\":[") + rows_of_parties[party][step % 2] + "]}\n";
  }
  [[nodiscard]] fs::path socket() const { return folder_.path() / "world.sock"; }
  static Words in_world(const std::string& more = "") {
    return joined({"bandit", "--world", "unix:world.sock", "--columns", "3,2", "--arms", "4", "--steps", "90",
                   "--max-norm", "1", "--json", "--insecure-seed", "5"},
                  words_of(more));
  }
  [[nodiscard]] json from_files(const std::string& more) const {
    return result_of(folder_, small_run(joined({"--json", "--steps", "90", "--insecure-seed", "5"}, words_of(more))));
  }

  TestFolder folder_;
};

TEST_F(World, EarnsWhatTheSameRowsInFilesDo) {
  const TestWorld world(socket(), answer);
  for (const char* more : {"", "--separate-rewarder", "--batch 16", "--batch 8 --reward-lag 20 --separate-rewarder",
                           "--contexts-ahead no"}) {
    const json played = result_of(folder_, in_world(more));
    const json replayed = from_files(more);
    EXPECT_EQ(played.at("status"), "complete") << more;
    EXPECT_EQ(played.at("average_reward"), replayed.at("average_reward")) << more;
    EXPECT_EQ(played.at("reward_curve"), replayed.at("reward_curve")) << more;
    EXPECT_EQ(played.at("rounds_per_step"), replayed.at("rounds_per_step")) << more;
    EXPECT_EQ(played.at("bytes_per_step"), replayed.at("bytes_per_step")) << more;
    EXPECT_EQ(played.at("best_average_reward"), nullptr) << "nobody knows what the other arms earn";
    EXPECT_EQ(played.at("plaintext_average_reward"), nullptr);
    EXPECT_EQ(played.at("environment"), "unix:" + socket().string());
  }
  EXPECT_EQ(world.greetings().size(), 3u * 5);
}

TEST_F(World, TakesRealRewards) {
  const TestWorld world(socket(), [](const std::string& greeting, const std::string& line) {
    if (!has(greeting, "world")) return answer(greeting, line);
    EXPECT_THAT(greeting, HasSubstr("\"rewards\":\"real\""));
    return std::optional<std::string>("{\"reward\":-0.25}\n");
  });
  const json played = result_of(folder_, in_world("--real-rewards"));
  EXPECT_EQ(played.at("average_reward"), -0.25);
}

TEST_F(World, ThatAnswersNonsenseEndsTheRunInALine) {
  const TestWorld world(socket(), [](const std::string& greeting, const std::string& line) {
    if (has(greeting, "party 1") && has(line, ":7}")) return std::optional<std::string>("{\"x\":[1]}\n");
    return answer(greeting, line);
  });
  SottoProcess process(folder_, in_world());
  EXPECT_EQ(process.wait(), 2);
  EXPECT_THAT(process.error(), AllOf(HasSubstr("party 1"), HasSubstr("world.sock: the answer to step 7"),
                                     HasSubstr("expected 2 numbers")));
  EXPECT_TRUE(folder_.nothing_left());
}

TEST_F(World, ThatGoesAwayEndsTheRunInALine) {
  const TestWorld world(socket(), [](const std::string& greeting, const std::string& line) {
    if (has(greeting, "world") && has(line, ":11,")) return std::optional<std::string>();
    return answer(greeting, line);
  });
  SottoProcess process(folder_, in_world());
  EXPECT_EQ(process.wait(), 3);
  EXPECT_THAT(process.error(), HasSubstr("has closed its line before it answered step 11"));
}

TEST_F(World, NeedsWhatFilesWouldSay) {
  const auto refused = [&](const std::string& words) {
    SottoProcess process(folder_, words_of("bandit " + words));
    EXPECT_EQ(process.wait(), 2);
    return process.error();
  };
  EXPECT_THAT(refused("--world unix:w --arms 4 --steps 9"), HasSubstr("--columns is required with --world"));
  EXPECT_THAT(refused("--world unix:w --columns 3,2 --steps 9"), HasSubstr("--arms is required with --world"));
  EXPECT_THAT(refused("--world unix:w --columns 3,2 --arms 4"), HasSubstr("--steps is required with --world"));
  EXPECT_THAT(refused("--world w --columns 3,2 --arms 4 --steps 9"), HasSubstr("--world: must be unix:PATH"));
  EXPECT_THAT(refused("--world unix:w --columns 3 --arms 4 --steps 9"), HasSubstr("2 to 8 parties, 1 given"));
  EXPECT_THAT(refused("--world unix:w --columns 3,2 --arms 4 --steps 9 --party a.csv"),
              HasSubstr("--world excludes --party"));
  EXPECT_THAT(refused("--world unix:w --columns 3,2 --arms 4 --steps 9 --compare-plaintext"),
              HasSubstr("--world excludes --compare-plaintext"));
  EXPECT_THAT(refused("--party a.csv --party b.csv --environment labels.csv --columns 3,2"),
              HasSubstr("--columns needs --world"));
}

// The example that the documentation shows, unchanged.
TEST_F(World, MayBeThirtyLinesOfPython) {
  if (std::system("python3 -c 'import socketserver' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const fs::path script = fs::path(__FILE__).parent_path() / "../../apps/examples/world.py";
  const pid_t world = ::fork();
  if (world == 0) {
    ::execlp("python3", "python3", script.c_str(), socket().c_str(), nullptr);
    ::_exit(1);
  }
  const json played = result_of(folder_, words_of("bandit --world unix:world.sock --columns 2,2 --arms 3 --steps 300 "
                                                  "--json --insecure-seed 3"));
  ::kill(world, SIGKILL);
  ::waitpid(world, nullptr, 0);
  EXPECT_EQ(played.at("status"), "complete");
  EXPECT_GT(played.at("average_reward"), 0.4) << "uniform play earns a third";
}

}  // namespace
}  // namespace sotto::testing
