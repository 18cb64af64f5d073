// The blocks of P2B as commands: `sotto p2b encoder`, `encode`, `shuffle`, `fit` and `epsilon`.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

std::string ran(const TestFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"p2b"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  SottoProcess process(folder, words);
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.out();
}

TEST(P2bBlocks, EncoderAndEncode) {
  const TestFolder folder;
  const std::string text = ran(folder, {"encoder", "--dimension", "4", "--codes", "8", "--out", "e.csv"});
  EXPECT_NE(text.find("states     286 "), std::string::npos) << text;  // C(13, 3)
  const auto json = nlohmann::json::parse(
      ran(folder, {"encoder", "--dimension", "4", "--codes", "8", "--json", "--out", "again.csv"}));
  EXPECT_EQ(json["states"], 286);
  EXPECT_EQ(contents(folder.path() / "e.csv"), contents(folder.path() / "again.csv"));
  const std::vector<std::string> rows = lines(contents(folder.path() / "e.csv"));
  ASSERT_EQ(rows.size(), 9U);

  // Each centroid, rounded to the grid or not, is nearest to itself.
  std::string contexts;
  for (std::size_t i = 1; i < rows.size(); ++i) contexts += rows[i] + "\n";
  (void)folder.write("contexts.csv", contexts);
  const std::vector<std::string> codes =
      lines(ran(folder, {"encode", "--centroids", "e.csv", "--contexts", "contexts.csv"}));
  ASSERT_EQ(codes.size(), 8U);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "0"), 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "7"), 1);
}

TEST(P2bBlocks, EncodeLeavesOutWhatIsNoFeatureAndCountsNegatives) {
  const TestFolder folder;
  (void)folder.write("c.csv", "1,0\n0,1\n");
  (void)folder.write("x.csv", "user,t,x,y,reward_0\n5,0,9,1,1\n6,0,-3,4,0\n");
  SottoProcess process(folder, {"p2b", "encode", "--centroids", "c.csv", "--contexts", "x.csv"});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "0\n1\n");
  EXPECT_EQ(process.error(), "sotto: x.csv: 1 negative feature was taken as 0");
}

TEST(P2bBlocks, ShuffleDropsRareCodesAndFitLearnsTheRest) {
  const TestFolder folder;
  std::string tuples;
  for (int i = 0; i < 40; ++i) {
    const int code = i < 12 ? 0 : i < 32 ? 2 : i < 36 ? 1 : 3;  // 12, 4, 20 and 4 times
    tuples += std::to_string(code) + "," + std::to_string(i % 2) + "," + std::to_string(i % 4 / 2) + "\n";
  }
  (void)folder.write("t.csv", tuples);
  const auto json = nlohmann::json::parse(
      ran(folder, {"shuffle", "--tuples", "t.csv", "--threshold", "10", "--json", "--out", "s.csv"}));
  EXPECT_EQ(json["received"], 40);
  EXPECT_EQ(json["kept"], 32);
  EXPECT_EQ(json["dropped"], 8);
  EXPECT_EQ(json["codes_dropped"], 2);
  // Delta covers whoever sees survivors, and does not whoever learns how many there were beside them.
  EXPECT_EQ(json["not_to_publish"], (nlohmann::json{"received", "dropped", "codes_dropped", "clipped", "duplicates"}));
  EXPECT_EQ(json["insecure"], nlohmann::json::array());
  EXPECT_FALSE(json.contains("survivors"));  // they are in the file
  std::vector<std::string> survivors = lines(contents(folder.path() / "s.csv"));
  EXPECT_EQ(survivors.front(), "code,arm,reward");
  survivors.erase(survivors.begin());
  std::vector<std::string> expected = lines(tuples);
  expected.resize(32);
  EXPECT_NE(survivors, expected);  // equal once in 32! runs
  std::sort(survivors.begin(), survivors.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(survivors, expected);

  const std::vector<std::string> theta =
      lines(ran(folder, {"fit", "--tuples", "s.csv", "--codes", "4", "--arms", "2"}));
  ASSERT_EQ(theta.size(), 9U);
  EXPECT_EQ(theta[0], "code,arm,theta");
  EXPECT_EQ(theta[1], "0,0," + std::string("0.42857142857142855"));  // 3 of 6, shrunk: 3/7
  EXPECT_EQ(theta[3], "1,0,0");
}

TEST(P2bBlocks, OfASmallBatchNothingIsReleased) {
  const TestFolder folder;
  (void)folder.write("t.csv", "code,arm,reward\n1,0,1\n1,0,0\n");
  SottoProcess process(folder, {"p2b", "shuffle", "--tuples", "t.csv", "--threshold", "3"});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "code,arm,reward\n");
  EXPECT_EQ(process.error(), "sotto: t.csv: 2 tuples are fewer than the threshold of 3: none is released");
}

TEST(P2bBlocks, AnInsecureSeedRepeatsAndIsStamped) {
  const TestFolder folder;
  std::string tuples;
  for (int i = 0; i < 50; ++i) tuples += "0," + std::to_string(i) + ",1\n";
  (void)folder.write("t.csv", tuples);
  const std::vector<std::string> seeded{"shuffle", "--tuples", "t.csv", "--insecure-seed", "5"};
  EXPECT_EQ(ran(folder, seeded), ran(folder, seeded));
  EXPECT_NE(ran(folder, {"shuffle", "--tuples", "t.csv"}), ran(folder, {"shuffle", "--tuples", "t.csv"}));
  std::vector<std::string> as_json = seeded;
  as_json.emplace_back("--json");
  const auto json = nlohmann::json::parse(ran(folder, as_json));
  EXPECT_EQ(json["insecure_seed"], 5);
  EXPECT_EQ(json["insecure"], nlohmann::json::array({"insecure-seed"}));
  // Without --out the survivors are there, in the same order as in text.
  std::string csv = "code,arm,reward\n";
  for (const auto& row : json["survivors"]) {
    ASSERT_EQ(row.size(), 3U);
    csv += row[0].dump() + "," + row[1].dump() + ",1\n";
    EXPECT_EQ(row[2], 1);
  }
  EXPECT_EQ(csv, ran(folder, seeded));
  std::vector<std::string> words{"p2b"};
  words.insert(words.end(), seeded.begin(), seeded.end());
  SottoProcess process(folder, words);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.error(), "INSECURE: insecure-seed. Do not use this run's protection for real data.");
}

TEST(P2bBlocks, Epsilon) {
  const TestFolder folder;
  const auto json = nlohmann::json::parse(ran(folder, {"epsilon", "--p", ".5", "--threshold", "10", "--json"}));
  EXPECT_NEAR(json["epsilon"].get<double>(), 0.693147, 1e-6);
  EXPECT_EQ(json["delta"], 0.007568359375);
  EXPECT_NE(ran(folder, {"epsilon", "--threshold", "100000"})
                .find("delta      < 1e-300   exact; worst for a user whose code 13333"),
            std::string::npos);
  const auto largest = nlohmann::json::parse(ran(folder, {"epsilon", "--threshold", "1000000", "--json"}));
  EXPECT_GT(largest["delta"].get<double>(), 0);
}

TEST(P2bBlocks, RefuseWhatDoesNotFit) {
  const TestFolder folder;
  (void)folder.write("t.csv", "code,arm,reward\n0,0,1\n4,0,1\n");
  (void)folder.write("arms.csv", "0,0,1\n1,2,1\n");
  (void)folder.write("c.csv", "1,0\n0,1\n");
  (void)folder.write("x.csv", "1,0,0\n");
  (void)folder.write("three.csv", "# sotto p2b kmeans decimals=1 seed=1: x_0,x_1\n1,0\n0,1\n.5,.5\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"epsilon", "--p", "0"}, "--p"},
      {{"epsilon", "--p", "1"}, "--p"},
      {{"epsilon", "--p", "nan"}, "--p"},
      {{"epsilon", "--threshold", "0"}, "--threshold"},
      {{"epsilon", "--threshold", "-1"}, "--threshold: '-1' is not a whole number from 0"},
      {{"epsilon", "--threshold", "1000001"}, "--threshold: 1000001 is too large: 1000000 at most"},
      {{"shuffle", "--tuples", "t.csv", "--threshold", "1000001"}, "--threshold: 1000001 is too"},
      {{"foo"}, "foo"},
      {{"shuffle", "--tuples", "t.csv", "--threshold", "0"}, "--threshold"},
      {{"shuffle", "--tuples", "none.csv"}, "none.csv"},
      {{"shuffle", "--tuples", "t.csv", "--codes", "4"}, "t.csv:3:1"},
      {{"fit", "--tuples", "t.csv", "--codes", "4", "--arms", "2"}, "t.csv:3:1"},
      {{"fit", "--tuples", "arms.csv", "--codes", "4", "--arms", "2"}, "arms.csv:2:2"},
      {{"fit", "--tuples", "arms.csv", "--codes", "4", "--arms", "3", "--context", "centroid"}, "--centroids"},
      {{"fit", "--tuples", "arms.csv", "--codes", "4", "--arms", "3", "--centroids", "c.csv"}, "--codes"},
      {{"encode", "--centroids", "c.csv", "--contexts", "x.csv"}, "3 features, but the centroids have 2"},
      {{"encode", "--centroids", "three.csv", "--contexts", "x.csv"}, "three.csv: the number of"},
      {{"encoder", "--codes", "33"}, "--codes"},
      {{"encoder", "--codes", "128", "--dimension", "3"}, "--codes"},
      {{"encoder", "--decimals", "0"}, "--decimals"},
      {{"encoder", "--kind", "pca"}, "--kind"},
      {{"encoder", "--codes", "2", "--out", "."}, "--out"},
  };
  for (const auto& [arguments, named] : cases) {
    std::vector<std::string> words{"p2b"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    SottoProcess process(folder, words);
    EXPECT_EQ(process.wait(), 2) << arguments[0] << " " << arguments.back();
    EXPECT_NE(process.error().find(named), std::string::npos) << process.err();
    EXPECT_EQ(lines(process.err()).size(), 1U) << process.err();
    EXPECT_EQ(process.out(), "");
  }
}

}  // namespace
}  // namespace sotto::testing
