// `sotto-lab audit` as a user runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(O3mAudit, GivesTheKnownFigures) {
  const TestFolder folder;
  SottoProcess process(folder, {"audit", "--json", "--out", "audit.html"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto json = process.json();
  EXPECT_EQ(json["contexts"], 3000);
  EXPECT_EQ(json["recovery"][0]["known"], 12);
  EXPECT_LT(json["recovery"][0]["largest_error"], 1e-13);
  EXPECT_EQ(json["recovery"][1]["known"], 11);
  EXPECT_LT(json["recovery"][1]["largest_error"], 1e-13);
  EXPECT_NEAR(json["recovery"][2]["rms_error"], 0.18, 0.01);
  EXPECT_GT(json["unmixing"]["mean_correlation"], 0.997);
  EXPECT_LT(json["mask_generator_error"], 1e-13);
  const std::string page = contents(folder.path() / "audit.html");
  EXPECT_TRUE(has(page, "What O3M leaks"));
  EXPECT_TRUE(has(page, "sotto-lab audit --json --out audit.html"));
}

TEST(O3mAudit, ReadsParticipantsFiles) {
  const TestFolder folder;
  std::string a = "t,arm,x\n", b = "t,arm,y,z\n";
  for (int t = 0; t < 30; ++t) {
    for (int arm = 0; arm < 2; ++arm) {
      const std::string pair = std::to_string(t) + "," + std::to_string(arm) + ",";
      a += pair + std::to_string((t * 7 + arm) % 11) + "\n";
      b += pair + std::to_string((t * 5 + 3 * arm) % 13) + "," + std::to_string(t % 4) + "\n";
    }
  }
  (void)folder.write("a.csv", a);
  (void)folder.write("b.csv", b);
  SottoProcess process(folder, {"audit", "--ap", "a.csv", "--passive", "b.csv"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "60 contexts of 3 features in 2 participants"));
  EXPECT_TRUE(has(process.out(), "2 known of 2"));
  EXPECT_TRUE(has(process.out(), "secure summation hides nothing"));
}

TEST(O3mAudit, RefusesWhatDoesNotFit) {
  const TestFolder folder;
  (void)folder.write("a.csv", "t,arm,x\n0,0,1\n1,0,2\n");
  (void)folder.write("nan.csv", "t,arm,x\n0,0,1\n1,0,nan\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--ap", "a.csv"}, "--passive"},
      {{"--passive", "a.csv"}, "--ap"},
      {{"--ap", "a.csv", "--passive", "nan.csv"}, "nan.csv:3"},
      {{"--ap", "a.csv", "--passive", "none.csv"}, "none.csv"},
      {{"--ap", "a.csv", "--passive", "a.csv"}, "more contexts than features"},
      {{"--known", "13"}, "--known"},
      {{"--own", "15"}, "--own"},
      {{"--participants", "9"}, "--participants"},
      {{"--users", "1"}, "--users"},
      {{"--out", "no/such/page.html"}, "--out"},
  };
  for (const auto& [arguments, named] : cases) {
    std::vector<std::string> all{"audit"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    SottoProcess process(folder, all);
    EXPECT_EQ(process.wait(), 2) << named;
    EXPECT_TRUE(has(process.error(), named)) << process.err();
    EXPECT_EQ(process.out(), "");
  }
}

}  // namespace
}  // namespace sotto::testing
