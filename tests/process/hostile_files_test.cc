// What a user is handed by others: files that do not end, that no parser bears, or that would write on the terminal.
// Each ends the command with one line, and with the memory of a small file.
#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/core/async/pool.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using Words = std::vector<std::string>;

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// Ends with code 2 and one line, which says `what`.
void expect_refusal(const TestFolder& folder, const Words& words, const std::string& what) {
  SottoProcess process(folder, words);
  EXPECT_EQ(process.wait(), 2) << process.err();
  const std::string said = process.err();
  EXPECT_TRUE(has(said, what)) << said;
  EXPECT_EQ(said.rfind("sotto: ", 0), 0u) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(HostileFiles, AConfigThatIsTooDeepForTheParser) {
  const TestFolder folder;
  const std::vector<std::pair<std::string, std::string>> configs{
      {"a" + repeated(".a", 40'000) + " = 1\n", "config.toml: the file is larger than 65536 bytes"},
      {"\n[a" + repeated(".a", 30'000) + "]\n", "config.toml:2: more than 256 dots in a line"},
      {"a = " + repeated("[", 60'000), "config.toml:1: more than 8 brackets within each other"},
      {"a = " + repeated("{a=", 20'000), "config.toml:1: more than 8 brackets within each other"}};
  for (const auto& [text, what] : configs) {
    (void)folder.write("config.toml", text);
    expect_refusal(folder, {"dealer", "--config", "config.toml"}, what);
    expect_refusal(folder, {"o3m", "role", "--config", "config.toml"}, what);
    expect_refusal(folder, {"keys", "trust", "--config", "config.toml", "dealer", "sha256:" + std::string(64, 'a')},
                   what);
  }
}

TEST(HostileFiles, ADeviceWithoutEnd) {
  const TestFolder folder;
  const std::string features = folder.write("a.csv", "a\n0.5\n");
  const std::string labels = folder.write("labels.csv", "label\n0\n");
  const std::string zero = "/dev/zero";
  const std::vector<std::pair<Words, std::string>> cases{
      {{"bandit", "--party", zero, "--party", features, "--environment", labels}, "/dev/zero:1: there is a NUL byte"},
      {{"prepare", "csv", zero, "--label-column", "a"}, "/dev/zero:1: there is a NUL byte"},
      {{"p2b", "shuffle", "--tuples", zero}, "/dev/zero:1: there is a NUL byte"},
      {{"p2b", "encode", "--centroids", zero, "--contexts", features}, "/dev/zero:1: there is a NUL byte"},
      {{"robin", "aggregate", "--estimates", zero, "--bound", "1", "--tau", "0.1"}, "/dev/zero:1: there is a NUL byte"},
      {{"dealer", "--config", zero}, "/dev/zero: the file is larger than 65536 bytes"},
      {{"keys", "show", zero}, "/dev/zero: is no regular file"},
  };
  for (const auto& [words, what] : cases) {
    SCOPED_TRACE(words.front() + " " + words.at(1));
    expect_refusal(folder, words, what);
    SottoProcess process(folder, words);
    (void)process.wait();
    // Sanitizers take more for themselves.
    if (pool_is_pooling()) {
      EXPECT_LT(process.peak_memory_bytes(), 100u << 20);
    }
  }
}

TEST(HostileFiles, NumbersWhoseSquaresAreNone) {
  const TestFolder folder;
  const std::string good = folder.write("good.csv", "a\n0.5\n0.5\n");
  const std::string huge = folder.write("huge.csv", "a\n0.5\n1e308\n");
  const std::string labels = folder.write("labels.csv", "label\n0\n1\n");
  expect_refusal(folder, {"bandit", "--party", good, "--party", huge, "--environment", labels},
                 "huge.csv:3:1: the number is larger in size than 1e30");
  expect_refusal(folder, {"prepare", "csv", huge, "--kmeans", "2"},
                 "huge.csv:3:1: the number is larger in size than 1e30");
}

// Nothing that a terminal obeys, on either stream; text is not written to one here, so no colour either.
TEST(HostileFiles, NothingWritesOnTheTerminal) {
  const TestFolder folder;
  const std::string escape =
      "\x1b]0;owned\x07\x1b[31m\xc2\x9b"
      "2J\r";
  const std::string column = "x" + escape.substr(0, escape.size() - 1);
  const std::string file = folder.write("f\x1b[31m\r.csv", "a,b\n1,x\n");
  const std::string tuples = folder.write("t\x1b[31m\n.csv", "code,arm,reward\n0,0,7\n");
  const std::string features = folder.write("a.csv", "a\n0.5\n");
  (void)folder.write("column.csv", column + "\nword\n");
  (void)folder.write("config.toml",
                     "[run]\n\"\\u001b[31m\xc2\x9b"
                     "\" = 1\n");
  (void)folder.write("broken.toml",
                     "[run]\nsteps = \xc2\x9b"
                     "31m\n");
  (void)folder.write("d" + escape + ".toml", "[run]\n");
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

TEST(HostileFiles, AdviceHasFewDigits) {
  const TestFolder folder;
  const std::string a = folder.write("a.csv", "a\n0.9\n0.1\n");
  const std::string b = folder.write("b.csv", "b\n0.6\n0.3\n");
  const std::string labels = folder.write("labels.csv", "label\n0\n1\n");
  const Words words{"plan", "--party", a, "--party", b, "--environment", labels, "--steps", "10"};
  SottoProcess process(folder, words);
  EXPECT_EQ(process.wait(), 0) << process.err();
  // The root of (15/16)^2 + (10/16)^2 is 1.12673...
  EXPECT_TRUE(has(process.out(), "|x| <= 1.127;")) << process.out();
}

}  // namespace
}  // namespace sotto::testing
