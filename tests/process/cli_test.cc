// The command line of the program: what holds for every command.
#include <gtest/gtest.h>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/apps/program_walk.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using apps::walk_program;
using apps::words_of;
using nlohmann::json;

// One object on stdout and nothing else, which says what the line on stderr says.
void expect_failure(SottoProcess& process, const std::string& name) {
  const int code = process.wait();
  EXPECT_NE(code, 0) << name;
  const json object = json::parse(process.out(), nullptr, false);
  ASSERT_TRUE(object.is_object()) << name << ": " << process.out();
  EXPECT_EQ(object.value("status", ""), "failed") << name;
  EXPECT_EQ(object.value("exit_code", 0), code) << name;
  EXPECT_EQ("sotto: " + object.value("error", ""), process.error()) << name;
}

TEST(CommandLine, AFailureWithJsonIsAnObjectEvenWhereTheWordsMakeNoSense) {
  const TestFolder folder;
  walk_program([&](const apps::Command&, const std::string& name) {
    std::vector<std::string> words = words_of(name);
    for (const char* word : {"--no-such-flag", "--json"}) words.emplace_back(word);
    SottoProcess process(folder, words);
    expect_failure(process, name);
    EXPECT_EQ(process.wait(), 2) << name;
  });
  SottoProcess nothing(folder, {"--json"});
  expect_failure(nothing, "");
}

// Where all words make sense and the command itself fails: no input is there, and results are.
TEST(CommandLine, AFailureWithJsonIsAnObjectInEveryCommandThatHasJson) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path() / "taken");
  for (const char* file : {"environment.csv", "wan.md"}) {
    (void)folder.write("taken/" + std::string(file), "x\n");
  }
  (void)folder.write("taken/run.json", R"({"status": "complete"})");
  std::size_t commands = 0;
  walk_program([&](const apps::Command& command, const std::string& name) {
    const auto has = [&](const char* flag) {
      const auto& all = command.options();
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one->flag == flag; });
    };
    if (!has("--json")) return;
    std::vector<std::string> words = words_of(name);
    for (const auto& option : command.options()) {
      if (!option->is_required) continue;
      if (option->flag.starts_with("--")) words.push_back(option->flag);
      words.push_back(option->type.starts_with("FILE") ? "no-such-file" : "5");
    }
    const auto add = [&](const char* flag, const char* value) {
      words.emplace_back(flag);
      words.emplace_back(value);
    };
    if (has("--out")) add("--out", "taken");
    if (name == "p2b epsilon") add("--p", "0");
    words.emplace_back("--json");
    SottoProcess process(folder, words);
    expect_failure(process, name);
    ++commands;
  });
  EXPECT_GT(commands, 15U);
}

TEST(CommandLine, ResultsAreWrittenOverWhereThatIsAskedFor) {
  const TestFolder folder;
  const std::vector<std::string> words{"prepare", "digits", "--limit", "20", "--components", "2", "--out", "data"};
  std::vector<std::string> again = words;
  again.emplace_back("--overwrite");
  SottoProcess first(folder, words);
  EXPECT_EQ(first.wait(), 0) << first.err();
  const std::string before = contents(folder.path() / "data/party_0.csv");
  (void)folder.write("data/party_0.csv", "mine\n");
  SottoProcess second(folder, words);
  EXPECT_EQ(second.wait(), 2);
  EXPECT_NE(second.error().find("--overwrite"), std::string::npos) << second.error();
  EXPECT_EQ(contents(folder.path() / "data/party_0.csv"), "mine\n");
  SottoProcess third(folder, again);
  EXPECT_EQ(third.wait(), 0) << third.err();
  EXPECT_EQ(contents(folder.path() / "data/party_0.csv"), before);
}

TEST(CommandLine, ARunOfOneStepAndOneArmIsSpokenOfAsOne) {
  const TestFolder folder;
  (void)folder.write("a.csv", "x\n0.5\n");
  (void)folder.write("b.csv", "x\n0.5\n");
  (void)folder.write("labels.csv", "label\n0\n");
  SottoProcess process(
      folder, {"plan", "--party", "a.csv", "--party", "b.csv", "--environment", "labels.csv", "--max-norm", "1"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(process.out().starts_with("2 parties, 2 features, 1 arm, 1 step; ")) << process.out();
}

}  // namespace
}  // namespace sotto::testing
