#include <fcntl.h>
#include <sys/stat.h>

#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"
#include "tests/net/hostile.h"
#include "tests/process/role_runs.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using apps::walk_program;

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

TEST_F(CommandLine, ListsCommandsByPurpose) {
  const std::string help = succeed(folder, {"--help"});
  std::size_t last = 0;
  for (const char* heading : {"\nTry, ", "\nTogether, ", "\nLive, ", "\nResearch, ", "\nHelp:\n"}) {
    const std::size_t at = help.find(heading);
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at, last) << heading;
    last = at;
  }
  EXPECT_THAT(help, ::testing::Not(HasSubstr("Subcommands:")));
}

TEST_F(CommandLine, ExamplesOfItsHelpRun) {
  std::istringstream help(succeed(folder, {"--help"}));
  std::string line;
  std::vector<std::string> examples;
  while (std::getline(help, line)) {
    if (line.starts_with("  sotto ")) examples.push_back(line.substr(8));
  }
  ASSERT_GE(examples.size(), 2u);
  for (const std::string& example : examples) EXPECT_FALSE(succeed(folder, words_of(example)).empty()) << example;
}

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

int code_of(const TestFolder& folder, const Words& words, const std::string& before) {
  SottoProcess process(folder, words, {in_shell(before), {}});
  const int code = process.wait();
  if (code == 6) {
    EXPECT_THAT(process.error(), HasSubstr("could be written to stdout")) << words.front();
    EXPECT_THAT(process.error(), ::testing::StartsWith("sotto: "));
  }
  return code;
}

using StandardStreams = InFolder;

TEST_F(StandardStreams, OutputThatIsLostIsNoSuccess) {
  write_small_run(folder);
  const std::vector<Words> commands{
      {"--help"},
      {"--version"},
      {"bandit", "--help"},
      small_run({}, "plan"),
      small_run({"--json"}, "plan"),
      small_run(),
      small_run({"--json"}),
      {"keys", "new"},
      {"init", "--parties", "2", "--steps", "10", "--arms", "2"},
      {"p2b", "epsilon", "--p", "0.5"},
      {"p2b", "encoder", "--dimension", "3", "--codes", "8"},
      {"robin", "--help"},
  };
  int number = 0;
  for (const Words& command : commands) {
    for (const auto& [before, code] :
         {std::pair{"exec >/dev/full", 6}, std::pair{"exec >&-", 6}, std::pair{"true", 0}}) {
      Words words = command;
      // Some commands make files that must not exist yet, so each run gets a new name.
      const bool makes = words[0] == "keys" || words[0] == "init" || words.back() == "8";
      if (makes) words.insert(words.end(), {"--out", "made" + std::to_string(++number)});
      EXPECT_EQ(code_of(folder, words, before), code) << ::testing::PrintToString(words) << " " << before;
    }
  }
}

// The output is larger than the buffer of the stream, so printing itself fails, and not only the last flush.
TEST_F(StandardStreams, OutputThatIsLostOnTheWayIsNoSuccess) {
  folder.write("contexts.csv", rows_in_turn("1,2,3", "1,2,3", 20'000));
  succeed(folder, words_of("p2b encoder --dimension 3 --codes 8 --out e.csv"));
  for (const std::string format : {"--json", ""}) {
    const Words words = words_of("p2b encode --centroids e.csv --contexts contexts.csv " + format);
    EXPECT_EQ(code_of(folder, words, "true"), 0);
    EXPECT_EQ(code_of(folder, words, "exec >/dev/full"), 6) << format;
    EXPECT_EQ(code_of(folder, words, "exec >&-"), 6) << format;
  }
}

TEST_F(StandardStreams, NothingIsSaidWhereTheReaderHasGone) {
  const std::string pipe =
      "mkfifo read_no_further; : <read_no_further & exec >read_no_further; wait; rm read_no_further";
  for (const Words& words : {words_of("help --man"), words_of("--version")}) {
    SottoProcess process(folder, words, {in_shell(pipe), {}});
    EXPECT_EQ(process.wait(), 6) << words.front();
    EXPECT_EQ(process.err(), "") << words.front();
  }
}

TEST_F(StandardStreams, ACommandThatFailsKeepsItsCodeAndARunItsResults) {
  write_small_run(folder);
  Words none = small_run({}, "plan");
  none[2] = "none.csv";
  EXPECT_EQ(code_of(folder, none, "exec >/dev/full"), 2);
  EXPECT_EQ(code_of(folder, small_run({"--out", "run"}), "exec >&-"), 6);
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "complete");
}

TEST_F(StandardStreams, AnErrorThatNobodyHearsKeepsItsCode) {
  for (const char* before : {"exec 2>/dev/full", "exec 2>&-"}) {
    EXPECT_EQ(SottoProcess(folder, {"plan"}, {in_shell(before), {}}).wait(), 2) << before;
  }
}

void disturb(const SottoProcess& service, const std::string& address) {
  for (;;) {
    try {
      net::testing::Hostile stranger(net::parse_address(address, "test"));
      stranger.say(std::string(5000, '\xff'));
      return stranger.hear_out();
    } catch (const std::runtime_error&) {
      service.look_again();
    }
  }
}

Words service(const std::string& address) {
  return words_of("p2b server --store s.db --codes 8 --arms 2 --insecure-plaintext --json --listen " + address);
}

void expect_serving(SottoProcess& process) {
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_EQ(process.json().at("tuples"), 0);
}

TEST_F(StandardStreams, AServiceGoesOnWhenItsLogIsFull) {
  const std::string address = Ports::take();
  SottoProcess process(folder, service(address), {in_shell("exec 2>/dev/full"), {}});
  for (int i = 0; i < 3; ++i) disturb(process, address);
  expect_serving(process);
}

TEST_F(StandardStreams, AServiceGoesOnWhenItsLogIsGone) {
  const std::string address = Ports::take();
  int log[2];
  ASSERT_EQ(::pipe2(log, O_CLOEXEC), 0);
  ASSERT_EQ(::fcntl(log[1], F_SETFD, 0), 0);
  SottoProcess process(folder, service(address), {in_shell("exec 2>&" + std::to_string(log[1])), {}});
  ::close(log[1]);
  char line[256];
  EXPECT_GT(::read(log[0], line, sizeof line), 0) << "that it listens";
  ::close(log[0]);
  for (int i = 0; i < 3; ++i) disturb(process, address);
  expect_serving(process);
}

TEST_F(StandardStreams, NothingTakesThePlaceOfAClosedOne) {
  const std::string address = Ports::take();
  SottoProcess process(folder, service(address), {in_shell("exec <&- >&- 2>&-"), {}});
  disturb(process, address);
  const fs::path descriptors = fs::path("/proc") / std::to_string(process.pid()) / "fd";
  for (const char* stream : {"0", "1", "2"}) EXPECT_EQ(fs::read_symlink(descriptors / stream), "/dev/null") << stream;
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 6) << "its summary is lost";
}

}  // namespace
}  // namespace sotto::testing
