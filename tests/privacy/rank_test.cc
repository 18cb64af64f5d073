// Transcripts by rank: no sum of words of a view is always even, or always odd.
#include "tests/privacy/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace sotto::privacy {
namespace {

using Chosen = std::tuple<std::size_t, std::size_t>;  // which experiment, how many parties

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all = protocol_experiments();
  for (Experiment& bandit : bandit_experiments()) all.push_back(std::move(bandit));
  all.push_back(bandit_of_three_arms());
  return all;
}

std::string test_name(const Experiment& experiment, std::size_t parties) {
  std::string name = experiment.name + " among " + std::to_string(parties);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::string joined(const std::vector<std::string>& findings) {
  std::string text = std::to_string(findings.size()) + " findings";
  for (const std::string& finding : findings) text += "\n  " + finding;
  return text;
}

bool any_says(const std::vector<std::string>& findings, const std::string& what) {
  return std::any_of(findings.begin(), findings.end(), [&](const std::string& finding) {
    return finding.find(what) != std::string::npos;
  });
}

class StatisticalRanks : public ::testing::TestWithParam<Chosen> {};

TEST_P(StatisticalRanks, AreFull) {
  const auto [which, parties] = GetParam();
  const RankOutcome outcome = examine_rank(all_experiments().at(which), parties);
  // The actor alone and the dealer; each group of all parties but one, alone and with the actor.
  EXPECT_GE(outcome.views, 3 * (1 + 2 * parties) + 1);
  EXPECT_GT(outcome.most_words, 0u);
  EXPECT_EQ(outcome.runs, outcome.most_words + 64);
  EXPECT_TRUE(outcome.findings.empty()) << joined(outcome.findings);
  RecordProperty("words", static_cast<int>(outcome.most_words));
}
INSTANTIATE_TEST_SUITE_P(Protocols, StatisticalRanks,
                         ::testing::Combine(::testing::Range<std::size_t>(0,
                                                                          all_experiments().size()),
                                            ::testing::Values<std::size_t>(2, 3)),
                         [](const auto& chosen) {
                           return test_name(all_experiments().at(std::get<0>(chosen.param)),
                                            std::get<1>(chosen.param));
                         });

// Those of controls.cc that leave a relation between whole words. The others are biased, too short
// or nonlinear: not what this test is for.
std::vector<Experiment> related_controls() {
  std::vector<Experiment> related = controls_of_many_words();
  const std::vector<std::string> names{"a sum in clear",
                                       "a zero share used twice",
                                       "a reused mask",
                                       "a reused Boolean mask",
                                       "a mask reused with the other sign",
                                       "a mask without its low bits",
                                       "a mask of one party",
                                       "a mask of another party",
                                       "a mask of all others",
                                       "an input twice under one mask",
                                       "a sharing of zero for a mask"};
  for (const Control& control : negative_controls()) {
    const bool named =
        std::find(names.begin(), names.end(), control.experiment.name) != names.end();
    if (named) related.push_back(control.experiment);
  }
  EXPECT_EQ(related.size(), controls_of_many_words().size() + names.size());
  return related;
}

class StatisticalRankControls : public ::testing::TestWithParam<Chosen> {};

TEST_P(StatisticalRankControls, AreCaught) {
  const auto [which, parties] = GetParam();
  const RankOutcome outcome = examine_rank(related_controls().at(which), parties);
  EXPECT_TRUE(any_says(outcome.findings, "words, always")) << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(
    Leaks, StatisticalRankControls,
    ::testing::Combine(::testing::Range<std::size_t>(0, related_controls().size()),
                       ::testing::Values<std::size_t>(2, 3)),
    [](const auto& chosen) {
      return test_name(related_controls().at(std::get<0>(chosen.param)), std::get<1>(chosen.param));
    });

TEST(StatisticalRankControls, OfThreeWordsAreMissedByPairs) {
  for (const Experiment& control : controls_of_many_words()) {
    for (const std::size_t parties : {2u, 3u}) {
      const Outcome pairs = carry_out(control, parties);
      EXPECT_GT(pairs.decisions, 0u);
      EXPECT_TRUE(pairs.findings.empty()) << control.name << ": " << joined(pairs.findings);
      const RankOutcome rank = examine_rank(control, parties);
      EXPECT_TRUE(any_says(rank.findings, "3 words, always"))
          << control.name << ": " << joined(rank.findings);
    }
  }
}

// The sum of two masks is found where thousands of sound words lie between.
TEST(StatisticalRankControls, AreCaughtAroundWholeSteps) {
  for (const std::size_t parties : {2u, 3u}) {
    const RankOutcome outcome = examine_rank(control_around_steps(), parties);
    EXPECT_GT(outcome.most_words, 1000u);
    for (const std::string& finding : outcome.findings) {
      EXPECT_NE(finding.find("3 words, always"), std::string::npos) << finding;
      EXPECT_NE(finding.find("'control'"), std::string::npos) << finding;
    }
    // Every group of all parties but one sees it, alone and with the actor.
    EXPECT_GE(outcome.findings.size(), 2 * parties) << joined(outcome.findings);
  }
}

}  // namespace
}  // namespace sotto::privacy
