// Transcripts: for two secrets with the same outputs, the joint view of any proper subset of the parties, with or
// without the actor, is uniform where the lemma says so and alike in all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

// The probability that one test of this file finds anything where nothing is, by the union bound.
constexpr double most_false_alarms = 1e-5;

using Chosen = std::tuple<std::size_t, std::size_t>;  // which experiment, how many parties

std::string test_name(const Experiment& experiment, std::size_t parties) {
  std::string name = experiment.name + " among " + std::to_string(parties);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::vector<Experiment> all_experiments() {
  std::vector<Experiment> all = protocol_experiments();
  for (Experiment& bandit : bandit_experiments()) all.push_back(std::move(bandit));
  return all;
}

std::string first_of(const std::vector<std::string>& findings) {
  std::string text = std::to_string(findings.size()) + " findings";
  for (std::size_t i = 0; i < std::min<std::size_t>(findings.size(), 8); ++i) text += "\n  " + findings[i];
  return text;
}

class StatisticalTranscripts : public ::testing::TestWithParam<Chosen> {};

TEST_P(StatisticalTranscripts, TellNothing) {
  const auto [which, parties] = GetParam();
  const Experiment experiment = all_experiments().at(which);
  if (parties < experiment.fewest_parties) GTEST_SKIP() << "no party is left to tell them apart";
  if (parties > experiment.most_parties) GTEST_SKIP() << "slow, and nothing new";
  const Outcome outcome = carry_out(experiment, parties);
  EXPECT_GT(outcome.views, 0u);
  EXPECT_GT(outcome.decisions, 0u);
  EXPECT_LT(static_cast<double>(outcome.decisions) * level, most_false_alarms);
  EXPECT_TRUE(outcome.findings.empty()) << first_of(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Protocols, StatisticalTranscripts,
                         ::testing::Combine(::testing::Range<std::size_t>(0, all_experiments().size()),
                                            ::testing::Values<std::size_t>(2, 3, 5)),
                         [](const auto& chosen) {
                           return test_name(all_experiments().at(std::get<0>(chosen.param)), std::get<1>(chosen.param));
                         });

class StatisticalControls : public ::testing::TestWithParam<Chosen> {};

TEST_P(StatisticalControls, AreCaught) {
  const auto [which, parties] = GetParam();
  const Control control = negative_controls().at(which);
  const Outcome outcome = carry_out(control.experiment, parties);
  const bool said = std::any_of(outcome.findings.begin(), outcome.findings.end(), [&](const std::string& finding) {
    return finding.find(control.finding) != std::string::npos;
  });
  EXPECT_TRUE(said) << "no finding says '" << control.finding << "': " << first_of(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Leaks, StatisticalControls,
                         ::testing::Combine(::testing::Range<std::size_t>(0, negative_controls().size()),
                                            ::testing::Values<std::size_t>(3)),
                         [](const auto& chosen) {
                           return test_name(negative_controls().at(std::get<0>(chosen.param)).experiment,
                                            std::get<1>(chosen.param));
                         });

}  // namespace
}  // namespace sotto::privacy
