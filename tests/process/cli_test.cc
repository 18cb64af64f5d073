// The command line of the program: what holds for every command.
#include "tests/apps/program_walk.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using apps::walk_program;

// One object on stdout and nothing else, which says what the line on stderr says.
void expect_failure(SottoProcess& process, const std::string& name) {
  const int code = process.wait();
  EXPECT_NE(code, 0) << name;
  const json object = json::parse(process.out(), nullptr, false);
  ASSERT_TRUE(object.is_object()) << name << ": " << process.out();
  EXPECT_EQ(object.value("status", ""), "failed") << name;
  EXPECT_EQ(object.value("exit_code", 0), code) << name;
  EXPECT_EQ("sotto: " + object.value("error", ""), process.error()) << name;
  expect_advice_to_be_there(process.words(), process.error());
}

using CommandLine = InFolder;

TEST_F(CommandLine, AFailureWithJsonIsAnObjectEvenWhereTheWordsMakeNoSense) {
  walk_program([&](const apps::Command&, const std::string& name) {
    SottoProcess process(folder, apps::words_of(name + " --no-such-flag --json"));
    expect_failure(process, name);
    EXPECT_EQ(process.wait(), 2) << name;
  });
  SottoProcess nothing(folder, {"--json"});
  expect_failure(nothing, "");
}

TEST_F(CommandLine, EveryCommandExplainsItself) {
  walk_program([&](const apps::Command&, const std::string& name) {
    EXPECT_THAT(succeed(folder, apps::words_of(name + " --help")), HasSubstr("Usage")) << name;
  });
}

// Where all words make sense and the command itself fails: no input is there, and results are.
TEST_F(CommandLine, AFailureWithJsonIsAnObjectInEveryCommandThatHasJson) {
  std::filesystem::create_directory(folder.path() / "taken");
  for (const char* file : {"environment.csv", "wan.md"}) folder.write("taken/" + std::string(file), "x\n");
  folder.write("taken/run.json", R"({"status": "complete"})");
  std::size_t commands = 0;
  walk_program([&](const apps::Command& command, const std::string& name) {
    if (!apps::has_option(command, "--json")) return;
    Words words = apps::words_of(name);
    for (const auto& option : command.options()) {
      if (!option->is_required) continue;
      if (option->flag.starts_with("--")) words.push_back(option->flag);
      words.push_back(option->type.starts_with("FILE") ? "no-such-file" : "5");
    }
    if (apps::has_option(command, "--out")) words = joined(words, {"--out", "taken"});
    if (name == "p2b epsilon") words = joined(words, {"--p", "0"});
    SottoProcess process(folder, joined(words, {"--json"}));
    expect_failure(process, name);
    ++commands;
  });
  EXPECT_GT(commands, 15U);
}

TEST_F(CommandLine, ResultsAreWrittenOverWhereThatIsAskedFor) {
  const Words words = apps::words_of("prepare digits --limit 20 --components 2 --out data");
  succeed(folder, words);
  const fs::path file = folder.path() / "data/party_0.csv";
  const std::string before = contents(file);
  folder.write("data/party_0.csv", "mine\n");
  expect_refused(folder, words, "--overwrite");
  EXPECT_EQ(contents(file), "mine\n");
  succeed(folder, joined(words, {"--overwrite"}));
  EXPECT_EQ(contents(file), before);
}

TEST_F(CommandLine, ARunOfOneStepAndOneArmIsSpokenOfAsOne) {
  write_small_run(folder, "0.5", "", 1, 1);
  EXPECT_THAT(succeed(folder, small_run({}, "plan")), ::testing::StartsWith("2 parties, 2 features, 1 arm, 1 step; "));
}

}  // namespace
}  // namespace sotto::testing
