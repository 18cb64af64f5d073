// `sotto robin aggregate` as a user runs it.
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// The flags after those of the bound and the expected size, and of the file where it is not another.
Words aggregate(const std::string& flags, const std::string& file = "estimates.csv") {
  return words_of("robin aggregate --bound 1 --tau 0.05 --estimates " + file + " " + flags);
}

// Round (0.3, -0.2, 0.5), at most 0.02 away in each number.
std::string some_estimates(int clients) {
  std::string text;
  for (int i = 0; i < clients; ++i) {
    for (const double centre : {0.3, -0.2, 0.5}) {
      const double x = centre + 0.02 * std::sin(i * 7.3 + centre * 100);
      text += std::to_string(x) + (centre == 0.5 ? "\n" : ",");
    }
  }
  return text;
}

using RobinAggregate = InFolder;

TEST_F(RobinAggregate, PrintsMeanRangesNoiseAndWhatWasSpent) {
  folder.write("estimates.csv", some_estimates(2000));
  const json result = result_of(folder, aggregate("--eps 1 --delta 1e-5 --json"));
  ASSERT_EQ(result["mean"].size(), 3U);
  EXPECT_NEAR(result["mean"][0], 0.3, 0.02);
  EXPECT_NEAR(result["mean"][1], -0.2, 0.02);
  EXPECT_NEAR(result["mean"][2], 0.5, 0.02);
  ASSERT_EQ(result["ranges"].size(), 4U);  // padded
  for (const auto& range : result["ranges"]) EXPECT_NEAR(range[1].get<double>() - range[0].get<double>(), 0.2, 1e-9);
  // 4 tau / sqrt(rho of a coordinate) / n, rho of the whole being 0.03056.
  EXPECT_NEAR(result["noise_scale"], 0.2 / std::sqrt(0.0305566 / 4) / 2000, 1e-7);
  EXPECT_EQ(result["noise"], "gaussian");
  EXPECT_EQ(result["composition"], "zcdp");
  EXPECT_NEAR(result["eps_spent"], 1, 1e-9);
  EXPECT_LE(result["eps_spent"], 1);
  EXPECT_EQ(result["delta_spent"], 1e-5);
  EXPECT_EQ(result["clipped"], 0);
  EXPECT_FALSE(result.contains("insecure_seed"));
  EXPECT_EQ(result["insecure"], json::array());
}

TEST_F(RobinAggregate, TakesAHeaderAndShowsASummary) {
  folder.write("plain.csv", some_estimates(500));
  folder.write("header.csv", "a,b,c\n" + some_estimates(500));
  const std::string plain = succeed(folder, aggregate("--insecure-seed 7", "plain.csv"));
  EXPECT_EQ(plain, succeed(folder, aggregate("--insecure-seed 7", "header.csv")));
  EXPECT_THAT(plain, HasSubstr("Private mean of 500 estimates of 3 numbers"));
  EXPECT_THAT(plain, HasSubstr("nothing is private"));
  EXPECT_EQ(result_of(folder, aggregate("--insecure-seed 7 --json", "header.csv"))["insecure"],
            json::array({"insecure-seed"}));
}

TEST_F(RobinAggregate, DrawsFreshNoise) {
  folder.write("estimates.csv", some_estimates(500));
  EXPECT_NE(result_of(folder, aggregate("--json"))["mean"], result_of(folder, aggregate("--json"))["mean"]);
}

TEST_F(RobinAggregate, PicksTheBetterAccount) {
  folder.write("one.csv", "0.1\n0.11\n0.12\n0.1\n");
  const json result = result_of(folder, aggregate("--json", "one.csv"));
  EXPECT_EQ(result["composition"], "basic");  // a single number: no delta is needed
  EXPECT_EQ(result["noise"], "laplace");
  EXPECT_EQ(result["delta_spent"], 0);
  EXPECT_EQ(result_of(folder, aggregate("--json --composition nested", "one.csv"))["composition"], "nested");
}

TEST_F(RobinAggregate, ClipsRoundTheLastRelease) {
  folder.write("estimates.csv", some_estimates(2000));
  folder.write("last.csv", "0.29,-0.21,0.51\n");
  const json result = result_of(folder, aggregate("--around last.csv --json"));
  EXPECT_EQ(result["range"], "around");
  EXPECT_EQ(result["misfire_chance"], 0);
  EXPECT_NEAR(result["mean"][2], 0.5, 0.02);
}

TEST_F(RobinAggregate, WarnsWhereRangesMisfire) {
  folder.write("estimates.csv", some_estimates(20));
  SottoProcess process(folder, aggregate("--eps 0.1"));
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("too few estimates for this epsilon"));
  EXPECT_FALSE(has(process.out(), "too few")) << process.out();
}

TEST_F(RobinAggregate, WarnsInOneLineWhereTheMeanIsWorthNothing) {
  folder.write("estimates.csv", some_estimates(20));
  const auto said = [&](const std::string& flags) {
    SottoProcess process(folder, words_of("robin aggregate --estimates estimates.csv --json " + flags));
    EXPECT_EQ(process.wait(), 0) << process.err();
    EXPECT_TRUE(process.json().contains("mean"));
    return process.err();
  };
  EXPECT_EQ(said("--bound 1 --tau 0.05 --eps 1000"), "");
  const std::pair<const char*, const char*> cases[] = {{"--bound 1 --tau 0.05 --eps 0.1", "too few estimates"},
                                                       {"--bound 0.1 --tau 0.05 --eps 1000", "more than half"},
                                                       {"--bound 1 --tau 1 --eps 0.01", "is larger than --bound 1"}};
  for (const auto& [flags, what] : cases) {
    const std::string error = said(flags);
    EXPECT_THAT(error, HasSubstr(what));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

TEST_F(RobinAggregate, RefusesInOneLine) {
  folder.write("good.csv", "0.1,0.2\n0.3,0.4\n");
  folder.write("one.csv", "0.1,0.2\n");
  folder.write("uneven.csv", "0.1,0.2\n0.3\n");
  folder.write("nan.csv", "0.1,0.2\n0.3,nan\n");
  folder.write("word.csv", "0.1,0.2\n0.3,x\n");
  expect_refusals(folder, "robin aggregate --bound 1 --tau 0.05",
                  {{"--estimates one.csv", "one.csv: one estimate only"},
                   {"--estimates uneven.csv", "uneven.csv:2: 1 cell, but the first line has 2"},
                   {"--estimates nan.csv", "nan.csv:2:2: not a finite number"},
                   {"--estimates word.csv", "word.csv:2:2: not a number"},
                   {"--estimates none.csv", "none.csv"},
                   {"--estimates good.csv --eps 0", "--eps: 0 is not"},
                   {"--estimates good.csv --eps -1", "--eps: -1 is not"},
                   {"--estimates good.csv --eps nan", "--eps: 'nan' is not"},
                   {"--estimates good.csv --eps 1e308", "--eps: 1e+308 is above"},
                   {"--estimates good.csv --delta 0", "--delta: 0 is not between"},
                   {"--estimates good.csv --delta 1", "--delta: 1 is not between"},
                   {"--estimates good.csv --composition rdp", "--composition: 'rdp'"},
                   {"--estimates good.csv --noise uniform", "--noise: expected \"gaussian\" or \"laplace\""},
                   {"--estimates good.csv --composition nested --noise gaussian", "--noise: "},
                   {"--estimates good.csv --around good.csv", "good.csv: 2 rows of 2 numbers"},
                   {"", "--estimates"}});
  for (const std::string tau : {"0", "-1", "inf", "1e-9"}) {
    expect_refused(folder, words_of("robin aggregate --estimates good.csv --bound 1 --tau " + tau), "--tau: ");
  }
}

}  // namespace
}  // namespace sotto::testing
