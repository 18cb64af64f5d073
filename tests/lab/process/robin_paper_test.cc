// `sotto-lab paper robin` as a user runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RobinPaper, WritesAReportOfAShortRunAndRepeatsIt) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  const auto run = [&](const char* seed) {
    SottoProcess process(folder, {"paper", "robin", "--quick", "--horizon", "254", "--seeds", "1",
                                  "--seed", seed, "--out", out.string(), "--overwrite", "--json"});
    EXPECT_EQ(process.wait(), 0) << process.err();
    auto json = process.json();
    EXPECT_EQ(json, nlohmann::json::parse(contents(out / "run.json")));
    return json;
  };
  const auto first = run("3");
  EXPECT_EQ(first["status"], "complete");
  EXPECT_EQ(first["settings"]["seeds"], 1);
  EXPECT_TRUE(has(first["verdict"], "Nothing was compared"));
  EXPECT_EQ(first["tables"], run("3")["tables"]);
  EXPECT_NE(first["tables"], run("4")["tables"]);
  EXPECT_TRUE(has(contents(out / "report.html"), "Regret against epsilon"));
}

TEST(RobinPaper, RefusesWhatItCannotUse) {
  const TestFolder folder;
  for (const auto& [flag, value] : {std::pair{"--horizon", "253"}, {"--seeds", "0"}}) {
    SottoProcess process(folder, {"paper", "robin", flag, value});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_TRUE(has(process.err(), flag)) << process.err();
  }
}

}  // namespace
}  // namespace sotto::testing
