// `sotto bandit --world`: a simulator of anybody's plays, with what the same world in files earns.
#include <sys/wait.h>

#include <csignal>

#include "tests/apps/bandit/run/sites/test_world.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {

namespace {

constexpr int world_rows = 60;

// The world of write_small_run, asked row by row.
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

// With one seed the arms are the same, hence the rewards.
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
  // Each role has a line of its own, and only who brings something.
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

// One line of who is at fault, and of what.
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

// The example that the documentation shows, as it stands.
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
