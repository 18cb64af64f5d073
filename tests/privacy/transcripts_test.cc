// Transcripts: for two secrets with the same outputs, the joint view of any proper subset of the parties, with or
// without the actor, is uniform where the lemma says so and alike in all of it.
#include <cctype>

#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

// The probability that one test of this file finds anything where nothing is, by the union bound.
constexpr double most_false_alarms = 1e-5;

class StatisticalTranscripts : public ::testing::TestWithParam<ExperimentOf> {};

TEST_P(StatisticalTranscripts, TellNothing) {
  const auto [which, parties] = GetParam();
  const Experiment experiment = all_experiments().at(which);
  if (parties < experiment.fewest_parties) GTEST_SKIP() << "no party is left to tell them apart";
  if (parties > experiment.most_parties) GTEST_SKIP() << "slow, and nothing new";
  const Outcome outcome = carry_out(experiment, parties);
  EXPECT_GT(outcome.views, 0u);
  EXPECT_GT(outcome.decisions, 0u);
  EXPECT_LT(static_cast<double>(outcome.decisions) * level, most_false_alarms);
  EXPECT_TRUE(outcome.findings.empty()) << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Protocols, StatisticalTranscripts,
                         ::testing::Combine(::testing::Range<std::size_t>(0, all_experiments().size()),
                                            ::testing::Values<std::size_t>(2, 3, 5)),
                         NameOf<all_experiments>());

class StatisticalControls : public ::testing::TestWithParam<ExperimentOf> {};

TEST_P(StatisticalControls, AreCaught) {
  const auto [which, parties] = GetParam();
  const Control control = negative_controls().at(which);
  const Outcome outcome = carry_out(control.experiment, parties);
  EXPECT_TRUE(any_says(outcome.findings, control.finding))
      << "no finding says '" << control.finding << "': " << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Leaks, StatisticalControls,
                         ::testing::Combine(::testing::Range<std::size_t>(0, negative_controls().size()),
                                            ::testing::Values<std::size_t>(3)),
                         NameOf<negative_controls>());

class StatisticalTranscriptsWithoutADealer : public ::testing::TestWithParam<std::size_t> {};

TEST_P(StatisticalTranscriptsWithoutADealer, TellNothing) {
  const Experiment experiment = bandit_experiments_without_dealer().at(GetParam());
  const std::size_t parties = parties_of(experiment.randomness);
  const std::size_t owners = experiment.outside_owners;
  const Outcome outcome = carry_out(experiment, parties);
  // Each party in its turn, the helper, and the actor; of owners all but the first, whose secret it is.
  const std::size_t makers = parties + (experiment.randomness == RandomnessBy::helper ? 1 : 0);
  const Members all = (Members{1} << (makers + owners + 1)) - 1;
  EXPECT_EQ(outcome.members, owners == 0 ? all : all & ~(Members{1} << parties));
  EXPECT_EQ(outcome.views, owners == 0 ? 2 * makers : parties + 1);
  EXPECT_GT(outcome.decisions, 0u);
  EXPECT_LT(static_cast<double>(outcome.decisions) * level, most_false_alarms);
  EXPECT_TRUE(outcome.findings.empty()) << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Bandit, StatisticalTranscriptsWithoutADealer,
                         ::testing::Range<std::size_t>(0, bandit_experiments_without_dealer().size()),
                         [](const auto& chosen) {
                           return identifier(bandit_experiments_without_dealer().at(chosen.param).name);
                         });

class StatisticalControlsWithoutADealer : public ::testing::TestWithParam<std::size_t> {};

TEST_P(StatisticalControlsWithoutADealer, AreCaught) {
  const Control control = controls_without_dealer().at(GetParam());
  const Outcome outcome = carry_out(control.experiment, parties_of(control.experiment.randomness));
  EXPECT_TRUE(any_says(outcome.findings, control.finding))
      << "no finding says '" << control.finding << "': " << joined(outcome.findings);
}
INSTANTIATE_TEST_SUITE_P(Leaks, StatisticalControlsWithoutADealer,
                         ::testing::Range<std::size_t>(0, controls_without_dealer().size()));

}  // namespace
}  // namespace sotto::privacy
