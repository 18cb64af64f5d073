// For each hostile file, the command ends with one line, and uses no more memory than for a small file.
#include "sotto/protocol/async/pool.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

using HostileFiles = InFolder;

TEST_F(HostileFiles, AConfigThatIsTooDeepForTheParser) {
  const std::vector<std::pair<std::string, std::string>> configs{
      {"a" + repeated(".a", 40'000) + " = 1\n", "config.toml: the file is larger than 65536 bytes"},
      {"\n[a" + repeated(".a", 30'000) + "]\n", "config.toml:2: more than 256 dots in a line"},
      {"a = " + repeated("[", 60'000), "config.toml:1: more than 8 brackets within each other"},
      {"a = " + repeated("{a=", 20'000), "config.toml:1: more than 8 brackets within each other"}};
  for (const auto& [text, what] : configs) {
    folder.write("config.toml", text);
    for (const std::string& command :
         {std::string("dealer"), std::string("o3m role"), "keys trust dealer sha256:" + std::string(64, 'a')}) {
      expect_refused(folder, words_of(command + " --config config.toml"), what);
    }
  }
}

TEST_F(HostileFiles, ADeviceWithoutEnd) {
  folder.write("a.csv", "a\n0.5\n");
  folder.write("labels.csv", "label\n0\n");
  const std::string nul = "/dev/zero:1: there is a NUL byte";
  const std::pair<const char*, std::string> cases[] = {
      {"bandit --party /dev/zero --party a.csv --environment labels.csv", nul},
      {"prepare csv /dev/zero --label-column a", nul},
      {"prepare party /dev/zero --id a", nul},
      {"prepare party a.csv --recipe /dev/zero", "/dev/zero: the file is larger than 4194304 bytes"},
      {"p2b shuffle --tuples /dev/zero", nul},
      {"p2b encode --centroids /dev/zero --contexts a.csv", nul},
      {"robin aggregate --estimates /dev/zero --bound 1 --tau 0.1", nul},
      {"dealer --config /dev/zero", "/dev/zero: the file is larger than 65536 bytes"},
      {"keys show /dev/zero", "/dev/zero: is no regular file"},
  };
  for (const auto& [line, what] : cases) {
    expect_refused(folder, words_of(line), what);
    SottoProcess process(folder, words_of(line));
    (void)process.wait();
    // Sanitizers need memory of their own, so the limit on memory is not checked under sanitizers.
    if (pool_is_pooling()) {
      EXPECT_LT(process.peak_memory_bytes(), 100u << 20);
    }
  }
}

TEST_F(HostileFiles, NumbersWhoseSquaresAreNone) {
  folder.write("good.csv", "a\n0.5\n0.5\n");
  folder.write("huge.csv", "a\n0.5\n1e308\n");
  folder.write("labels.csv", "label\n0\n1\n");
  expect_refused(folder, words_of("bandit --party good.csv --party huge.csv --environment labels.csv"),
                 "huge.csv:3:1: the number is larger in size than 1e30");
  expect_refused(folder, words_of("prepare csv huge.csv --kmeans 2"),
                 "huge.csv:3:1: column 'a': a number that is infinite or larger in size than 1e30");
}

TEST_F(HostileFiles, NothingWritesOnTheTerminal) {
  const std::string escape =
      "\x1b]0;owned\x07\x1b[31m\xc2\x9b"
      "2J\r";
  const std::string column = "x" + escape.substr(0, escape.size() - 1);
  const std::string file = folder.write("f\x1b[31m\r.csv", "a,b\n1,x\n");
  const std::string tuples = folder.write("t\x1b[31m\n.csv", "code,arm,reward\n0,0,7\n");
  const std::string features = folder.write("a.csv", "a\n0.5\n");
  folder.write("column.csv", column + "\nword\n");
  // The mark that changes the direction of text is not a control character.
  folder.write("names.csv", "x\xe2\x80\xae,y\n1,a\xc2\x9b\n2,b\n");
  folder.write("config.toml",
               "[run]\n\"\\u001b[31m\xc2\x9b"
               "\" = 1\n");
  folder.write("broken.toml",
               "[run]\nsteps = \xc2\x9b"
               "31m\n");
  folder.write("d" + escape + ".toml", "[run]\n");
  const std::vector<Words> cases{
      {escape},
      {"bandit", "--" + escape},
      {"bandit", "--steps", escape},
      {"bandit", "--party", file, "--party", file, "--environment", features},
      {"bandit", "--party", "column.csv", "--party", features, "--environment", features},
      {"bandit", "--resume", "no" + escape},
      {"dealer", "--config", "config.toml"},
      {"dealer", "--config", "broken.toml"},
      {"dealer", "--config", "d" + escape + ".toml"},
      {"doctor", "--config", "d" + escape + ".toml"},
      {"keys", "show", file},
      {"keys", "new", "--name", "me", "--out", "k" + escape + ".pem"},
      {"p2b", "shuffle", "--tuples", tuples},
      {"p2b", "encoder", "--dim", "2", "--codes", "2", "--out", "e" + escape},
      {"init", "--out", "i" + escape, "--insecure-shared-keys"},
      {"prepare", "digits", "--limit", "20", "--out", "p" + escape},
      {"prepare", "party", "names.csv", "--out", "q" + escape},
      {"prepare", "party", file},
      {"prepare", "party", features, "--recipe", "broken.toml"},
  };
  for (const Words& words : cases) {
    SottoProcess process(folder, words);
    const int code = process.wait();
    const std::string said = process.err() + process.out();
    EXPECT_TRUE(code == 0 || code == 2) << code << said;
    EXPECT_FALSE(said.empty()) << words.front();
    EXPECT_TRUE(std::none_of(said.begin(), said.end(),
                             [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }))
        << words.front() << ": " << said;
    EXPECT_FALSE(has(said, "\xc2\x9b")) << words.front() << ": " << said;
    if (code == 2) {
      const std::string error = process.err();
      EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    }
  }
}

TEST_F(HostileFiles, AdviceHasFewDigits) {
  folder.write("a.csv", "a\n0.9\n0.1\n");
  folder.write("b.csv", "b\n0.6\n0.3\n");
  folder.write("labels.csv", "label\n0\n1\n");
  // The root of (15/16)^2 + (10/16)^2 is 1.12673...
  EXPECT_THAT(succeed(folder, words_of("plan --party a.csv --party b.csv --environment labels.csv --steps 10")),
              HasSubstr("|x| <= 1.127;"));
}

}  // namespace
}  // namespace sotto::testing
