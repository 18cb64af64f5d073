// `sotto-lab paper o3m` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/core/async/pool.h"
#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(O3mPaper, WritesAReportOfAShortRun) {
  const TestFolder folder;
  const auto log = folder.write("log.txt", apps::criteo_sample(1500, 1));
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder, {"paper", "o3m", "--quick", "--steps", "80", "--seed", "3",
                                "--criteo", log.string(), "--out", out.string(), "--json"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto printed = process.json();
  const auto json = nlohmann::json::parse(contents(out / "run.json"));
  EXPECT_EQ(printed, json);
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["settings"]["repeats"], 8);
  EXPECT_EQ(json["settings"]["dimension"], 100);
  EXPECT_EQ(json["all_passed"], true);
  EXPECT_EQ(json["criteo"]["rows"], 1500);
  EXPECT_EQ(json["criteo"]["arms"], 40);
  EXPECT_TRUE(has(contents(out / "report.html"), "Figure 6 (c)"));
}

TEST(O3mPaper, SaysWhereTheReportIsAndWhatIsMissing) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  SottoProcess process(
      folder, {"paper", "o3m", "--quick", "--repeats", "1", "--steps", "5", "--out", out.string()});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "Table 1"));
  EXPECT_TRUE(has(process.out(), "needs the Criteo log"));
  EXPECT_TRUE(has(process.out(), "regret was not compared"));
  EXPECT_TRUE(has(process.out(), (out / "report.html").string()));
}

// The log is streamed: ten times the rows need no more memory.
TEST(O3mPaper, NeedsNoMoreMemoryForALongerLog) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers keep freed memory for a while";
  const TestFolder folder;
  const auto peak = [&](const std::string& name, std::size_t rows) {
    const auto log = folder.write(name, apps::criteo_sample(rows, 1, 4));
    SottoProcess process(folder, {"paper", "o3m", "--quick", "--repeats", "1", "--steps", "5",
                                  "--criteo", log.string(), "--json"});
    EXPECT_EQ(process.wait(), 0) << process.err();
    return process.peak_memory_bytes();
  };
  const std::uint64_t few = peak("few.txt", 2000);
  EXPECT_LT(peak("many.txt", 20'000), few + 3'000'000);    // the file has 6 MB
  EXPECT_FALSE(fs::exists(folder.path() / "sotto-runs"));  // --json alone writes nothing
}

TEST(O3mPaper, RefusesWhatItCannotUseInOneLine) {
  const TestFolder folder;
  const auto bad = folder.write("bad.txt", apps::criteo_sample(30, 1) + "1\t2\t3\n");
  const auto one = folder.write("one.txt", apps::criteo_sample(1, 1));
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--criteo", bad.string()}, "bad.txt:31: 3 columns"},
      {{"--criteo", one.string()}, "one.txt: all rows have one item label"},
      {{"--criteo", "no-such-file"}, "no-such-file: cannot read the file"},
      {{"--criteo", bad.string(), "--criteo-scales", "1,2"}, "--criteo-scales: 13 numbers"},
      {{"--steps", "0"}, "--steps"},
      {{"--repeats", "0"}, "--repeats"},
      {{"--seed", "-1"}, "--seed"}};
  for (const auto& [arguments, message] : wrong) {
    std::vector<std::string> all{"paper", "o3m", "--quick", "--out",
                                 (folder.path() / "o").string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    SottoProcess process(folder, all);
    EXPECT_EQ(process.wait(), 2) << message;
    const std::string error = process.err();
    EXPECT_TRUE(has(error, message));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_FALSE(fs::exists(folder.path() / "o" / "run.json"));
  }
}

}  // namespace
}  // namespace sotto::testing
