#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

Words lines(const std::string& text) {
  Words found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

std::string ran(const TestFolder& folder, const std::string& line) { return succeed(folder, words_of("p2b " + line)); }
json ran_to_json(const TestFolder& folder, const std::string& line) {
  return json::parse(ran(folder, line + " --json"));
}

using P2bBlocks = InFolder;

TEST_F(P2bBlocks, EncoderAndEncode) {
  const std::string text = ran(folder, "encoder --dimension 4 --codes 8 --out e.csv");
  EXPECT_THAT(text, HasSubstr("states     286 "));  // C(13, 3)
  const json result = ran_to_json(folder, "encoder --dimension 4 --codes 8 --out again.csv");
  EXPECT_EQ(result["states"], 286);
  EXPECT_EQ(contents(folder.path() / "e.csv"), contents(folder.path() / "again.csv"));
  const Words rows = lines(contents(folder.path() / "e.csv"));
  ASSERT_EQ(rows.size(), 9U);

  std::string contexts;
  for (std::size_t i = 1; i < rows.size(); ++i) contexts += rows[i] + "\n";
  folder.write("contexts.csv", contexts);
  const Words codes = lines(ran(folder, "encode --centroids e.csv --contexts contexts.csv"));
  ASSERT_EQ(codes.size(), 8U);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "0"), 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "7"), 1);
}

TEST_F(P2bBlocks, EncodeLeavesOutWhatIsNoFeatureAndCountsNegatives) {
  folder.write("c.csv", "1,0\n0,1\n");
  folder.write("x.csv", "user,t,x,y,reward_0\n5,0,9,1,1\n6,0,-3,4,0\n");
  SottoProcess process(folder, words_of("p2b encode --centroids c.csv --contexts x.csv"));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "0\n1\n");
  EXPECT_EQ(process.error(), "sotto: x.csv: 1 negative feature was taken as 0");
}

TEST_F(P2bBlocks, ShuffleDropsRareCodesAndFitLearnsTheRest) {
  std::string tuples;
  for (int i = 0; i < 40; ++i) {
    const int code = i < 12 ? 0 : i < 32 ? 2 : i < 36 ? 1 : 3;  // codes 0 to 3 occur 12, 4, 20 and 4 times
    tuples += std::to_string(code) + "," + std::to_string(i % 2) + "," + std::to_string(i % 4 / 2) + "\n";
  }
  folder.write("t.csv", tuples);
  const json result = ran_to_json(folder, "shuffle --tuples t.csv --threshold 10 --out s.csv");
  expect_fields(result, {{"received", 40}, {"kept", 32}, {"dropped", 8}, {"codes_dropped", 2}});
  EXPECT_EQ(result["not_to_publish"], (json{"received", "dropped", "codes_dropped", "clipped", "duplicates"}));
  EXPECT_EQ(result["insecure"], json::array());
  EXPECT_FALSE(result.contains("survivors"));
  Words survivors = lines(contents(folder.path() / "s.csv"));
  EXPECT_EQ(survivors.front(), "code,arm,reward");
  survivors.erase(survivors.begin());
  Words expected = lines(tuples);
  expected.resize(32);
  EXPECT_NE(survivors, expected);  // a random order is equal to this one once in 32! runs
  std::sort(survivors.begin(), survivors.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(survivors, expected);

  const Words theta = lines(ran(folder, "fit --tuples s.csv --codes 4 --arms 2"));
  ASSERT_EQ(theta.size(), 9U);
  EXPECT_EQ(theta[0], "code,arm,theta");
  EXPECT_EQ(theta[1], "0,0," + std::string("0.42857142857142855"));  // 3 rewards in 6 tuples, regularised to 3/7
  EXPECT_EQ(theta[3], "1,0,0");
}

TEST_F(P2bBlocks, OfASmallBatchNothingIsReleased) {
  folder.write("t.csv", "code,arm,reward\n1,0,1\n1,0,0\n");
  SottoProcess process(folder, words_of("p2b shuffle --tuples t.csv --threshold 3"));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.out(), "code,arm,reward\n");
  EXPECT_EQ(process.error(), "sotto: t.csv: 2 tuples are fewer than the threshold of 3: none is released");
}

TEST_F(P2bBlocks, AnInsecureSeedRepeatsAndIsStamped) {
  std::string tuples;
  for (int i = 0; i < 50; ++i) tuples += "0," + std::to_string(i) + ",1\n";
  folder.write("t.csv", tuples);
  const std::string seeded = "shuffle --tuples t.csv --insecure-seed 5";
  EXPECT_EQ(ran(folder, seeded), ran(folder, seeded));
  EXPECT_NE(ran(folder, "shuffle --tuples t.csv"), ran(folder, "shuffle --tuples t.csv"));
  const json result = ran_to_json(folder, seeded);
  EXPECT_EQ(result["insecure_seed"], 5);
  EXPECT_EQ(result["insecure"], json::array({"insecure-seed"}));
  std::string csv = "code,arm,reward\n";
  for (const auto& row : result["survivors"]) {
    ASSERT_EQ(row.size(), 3U);
    csv += row[0].dump() + "," + row[1].dump() + ",1\n";
    EXPECT_EQ(row[2], 1);
  }
  EXPECT_EQ(csv, ran(folder, seeded));
  SottoProcess process(folder, words_of("p2b " + seeded));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.error(), "INSECURE: insecure-seed. Do not use this run's protection for real data.");
}

TEST_F(P2bBlocks, Epsilon) {
  const json result = ran_to_json(folder, "epsilon --p .5 --threshold 10");
  EXPECT_NEAR(result["epsilon"].get<double>(), 0.693147, 1e-6);
  EXPECT_EQ(result["delta"], 0.007568359375);
  EXPECT_THAT(ran(folder, "epsilon --threshold 100000"),
              HasSubstr("delta      < 1e-300   exact; worst for a user whose code 13333"));
  const auto largest = ran_to_json(folder, "epsilon --threshold 1000000");
  EXPECT_GT(largest["delta"].get<double>(), 0);
}

TEST_F(P2bBlocks, RefuseWhatDoesNotFit) {
  folder.write("t.csv", "code,arm,reward\n0,0,1\n4,0,1\n");
  folder.write("arms.csv", "0,0,1\n1,2,1\n");
  folder.write("c.csv", "1,0\n0,1\n");
  folder.write("x.csv", "1,0,0\n");
  folder.write("three.csv", "# sotto p2b kmeans decimals=1 seed=1: x_0,x_1\n1,0\n0,1\n.5,.5\n");
  const Refusals cases{{"epsilon --p 0", "--p"},
                       {"epsilon --p 1", "--p"},
                       {"epsilon --p nan", "--p"},
                       {"epsilon --threshold 0", "--threshold"},
                       {"epsilon --threshold -1", "--threshold: '-1' is not a whole number from 0"},
                       {"epsilon --threshold 1000001", "--threshold: 1000001 is too large: 1000000 at most"},
                       {"shuffle --tuples t.csv --threshold 1000001", "--threshold: 1000001 is too"},
                       {"foo", "foo"},
                       {"shuffle --tuples t.csv --threshold 0", "--threshold"},
                       {"shuffle --tuples none.csv", "none.csv"},
                       {"shuffle --tuples t.csv --codes 4", "t.csv:3:1"},
                       {"fit --tuples t.csv --codes 4 --arms 2", "t.csv:3:1"},
                       {"fit --tuples arms.csv --codes 4 --arms 2", "arms.csv:2:2"},
                       {"fit --tuples arms.csv --codes 4 --arms 3 --context centroid", "--centroids"},
                       {"fit --tuples arms.csv --codes 4 --arms 3 --centroids c.csv", "--codes"},
                       {"encode --centroids c.csv --contexts x.csv", "3 features, but the centroids have 2"},
                       {"encode --centroids three.csv --contexts x.csv", "three.csv: the number of"},
                       {"encoder --codes 33", "--codes"},
                       {"encoder --codes 128 --dimension 3", "--codes"},
                       {"encoder --decimals 0", "--decimals"},
                       {"encoder --kind pca", "--kind"},
                       {"encoder --codes 2 --out .", "--out"}};
  expect_refusals(folder, "p2b", cases);
}

}  // namespace
}  // namespace sotto::testing
