// `sotto bandit` as a user runs it: results, faults, bad input.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;

// Two parties with three features each, four arms: small enough for a run of a second.
struct Data {
  explicit Data(const TestFolder& folder, int rows = 60) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-0.3, 0.3);
    std::string texts[2] = {"a,b,c\n", "d,e,f\n"};
    std::string labels = "label\n";
    for (int row = 0; row < rows; ++row) {
      for (std::string& text : texts) {
        text += std::to_string(value(random)) + "," + std::to_string(value(random)) + "," +
                std::to_string(value(random)) + "\n";
      }
      labels += std::to_string(row < 4 ? row : static_cast<int>(random() % 4)) + "\n";
    }
    a = folder.write("a.csv", texts[0]);
    b = folder.write("b.csv", texts[1]);
    environment = folder.write("labels.csv", labels);
  }
  [[nodiscard]] std::vector<std::string> bandit(const std::string& max_norm,
                                                const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"bandit", "--party",       a,           "--party",
                                       b,        "--environment", environment, "--max-norm"};
    arguments.push_back(max_norm);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] std::vector<std::string> bandit(const std::vector<std::string>& more) const {
    return bandit("1", more);
  }
  std::string a;
  std::string b;
  std::string environment;
};

json run_to_json(const TestFolder& folder, const std::vector<std::string>& arguments) {
  SottoProcess process(folder, arguments);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(folder.nothing_left());
  return process.json();
}

TEST(Bandit, RunsOnRealProcesses) {
  const TestFolder folder;
  const Data data(folder);
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--deal-ahead"},
                                               {"--separate-rewarder"},
                                               {"--separate-rewarder", "--deal-ahead", "--steps", "130"}}) {
    std::vector<std::string> flags{"--json"};
    flags.insert(flags.end(), more.begin(), more.end());
    const json result = run_to_json(folder, data.bandit(flags));
    EXPECT_EQ(result.at("status"), "complete");
    EXPECT_EQ(result.at("rounds_per_step"), 7.0);
    EXPECT_GT(result.at("bytes_per_step"), 0.0);
    EXPECT_GT(result.at("dealt_bytes_per_step"), 0.0);
    EXPECT_GT(result.at("online_seconds"), 0.0);
    EXPECT_GT(result.at("dealer_seconds"), 0.0);
    EXPECT_EQ(result.at("steps"), more.size() > 2 ? 130 : 60);
  }
}

TEST(Bandit, TheModelAndTheComparisonAreThereWhereAskedFor) {
  const TestFolder folder;
  const Data data(folder);
  const json result = run_to_json(folder, data.bandit({"--json", "--reveal-model", "--compare-plaintext"}));
  EXPECT_EQ(result.at("weights").size(), 4u);
  EXPECT_EQ(result.at("weights").at(0).size(), 6u);
  EXPECT_EQ(result.at("inverse_matrices").at(3).at(5).size(), 6u);
  EXPECT_TRUE(result.contains("compare_plaintext"));
}

// Everything but times and memory.
void strip_measured(json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      const bool varies =
          it.key().find("seconds") != std::string::npos || it.key() == "started" || it.key() == "peak_memory_bytes";
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

TEST(Bandit, AnInsecureSeedRepeatsARun) {
  const TestFolder folder;
  const Data data(folder);
  const auto arguments = data.bandit({"--json", "--insecure-seed", "11", "--repeat", "2", "--reveal-model"});
  json first = run_to_json(folder, arguments);
  json second = run_to_json(folder, arguments);
  strip_measured(first);
  strip_measured(second);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(first.contains("average_reward_sd"));
}

TEST(Bandit, ARoleThatIsKilledIsNamedAndAllEnd) {
  const TestFolder folder;
  const Data data(folder);
  const std::vector<std::pair<std::string, std::string>> roles = {{"party_0", "party 0"},
                                                                  {"party_1", "party 1"},
                                                                  {"dealer", "the dealer"},
                                                                  {"actor", "actor"},
                                                                  {"rewarder", "rewarder"}};
  for (const auto& [key, name] : roles) {
    SottoProcess process(folder, data.bandit({"--steps", "200000", "--json", "--separate-rewarder"}));
    const pid_t victim = process.busy_child(key + ".toml");
    const std::vector<pid_t> children = process.children();
    EXPECT_EQ(children.size(), 5u);
    const auto begin = std::chrono::steady_clock::now();
    ::kill(victim, SIGKILL);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_NE(process.error().find("sotto: " + name + " was killed by signal 9"), std::string::npos) << process.err();
    EXPECT_EQ(process.json().at("status"), "failed");
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Bandit, AnInterruptEndsAll) {
  const TestFolder folder;
  const Data data(folder);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SottoProcess process(folder, data.bandit({"--steps", "200000", "--json"}));
    (void)process.busy_child("party_1.toml");
    const std::vector<pid_t> children = process.children();
    process.signal(signal);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_EQ(process.error(), "sotto: interrupted");
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Bandit, ChildrenDieWithTheirParent) {
  const TestFolder folder;
  const Data data(folder);
  std::vector<pid_t> children;
  {
    SottoProcess process(folder, data.bandit({"--steps", "200000", "--json"}));
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

TEST(Bandit, BadInputIsOneLineThatNamesTheFile) {
  const TestFolder folder;
  const Data data(folder);
  const std::string ragged = folder.write("ragged.csv", "a,b\n1,2\n3\n");
  const std::string words = folder.write("words.csv", "a,b\n0.1,0.2\n0.1,zwei\n");
  const std::string infinite = folder.write("infinite.csv", "a,b\n0.1,inf\n");
  const std::string few = folder.write("few.csv", "a\n0.1\n0.2\n");
  const std::string empty = folder.write("empty.csv", "");
  struct Case {
    std::vector<std::string> arguments;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases = {
      {{"bandit", "--party", data.a, "--environment", data.environment}, {"--party"}},
      {{"bandit", "--party", data.a, "--party", "none.csv", "--environment", data.environment}, {"none.csv"}},
      {{"bandit", "--party", data.a, "--party", ragged, "--environment", data.environment}, {"ragged.csv:3"}},
      {{"bandit", "--party", data.a, "--party", words, "--environment", data.environment}, {"words.csv:3:2"}},
      {{"bandit", "--party", data.a, "--party", infinite, "--environment", data.environment}, {"infinite.csv:2:2"}},
      {{"bandit", "--party", data.a, "--party", few, "--environment", data.environment}, {"2", "60"}},
      {{"bandit", "--party", data.a, "--party", empty, "--environment", data.environment}, {"empty.csv"}},
      {data.bandit({"--arms", "2"}), {"labels.csv"}},
      {data.bandit("9", {}), {"8"}},
      {data.bandit("0.01", {}), {"a.csv"}},
      {data.bandit({"--epsilon", "2"}), {"epsilon"}},
      {data.bandit({"--no-such-flag"}), {"no-such-flag"}},
  };
  for (const Case& c : cases) {
    SottoProcess process(folder, c.arguments);
    EXPECT_EQ(process.wait(), 2) << process.err();
    const std::string text = process.error();
    EXPECT_EQ(text.rfind("sotto: ", 0), 0u) << text;
    for (const std::string& part : c.says) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sotto::testing
