// Transcripts: for two secrets with the same outputs, examines the joint view of any proper subset of the parties, with
// or without the actor. The parts of the view that the lemma names must be uniform, and all parts of the view must look
// alike for the two secrets.
#include <cctype>

#include "tests/framework.h"
#include "tests/privacy/experiment.h"

namespace sotto::privacy {
namespace {

// The largest probability of a false alarm in one test of this file, by the union bound.
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

// A run that makes its randomness by transfers takes ten times as long as other runs. Only two experiments with such
// runs are always examined: the step that explores, and one control. Suites *Long examine the other experiments with
// such runs.
bool is_looked_at_always(const Experiment& experiment) {
  return experiment.randomness != RandomnessBy::ot || experiment.name == "bandit that explores ot" ||
         experiment.name == "tweaks that begin again";
}
std::vector<std::size_t> places(const std::vector<Experiment>& experiments, bool always) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (is_looked_at_always(experiments[i]) == always) found.push_back(i);
  }
  return found;
}
std::vector<Experiment> experiments_of(const std::vector<Control>& controls) {
  std::vector<Experiment> experiments;
  for (const Control& control : controls) experiments.push_back(control.experiment);
  return experiments;
}

void expect_to_tell_nothing(const Experiment& experiment) {
  const std::size_t parties = parties_of(experiment.randomness);
  const std::size_t owners = experiment.outside_owners;
  const Outcome outcome = carry_out(experiment, parties);
  // Each party, the helper and the actor were in some group, and so were all owners outside except the first, which has
  // the secret.
  const std::size_t makers = parties + (experiment.randomness == RandomnessBy::helper ? 1 : 0);
  const Members all = (Members{1} << (makers + owners + 1)) - 1;
  EXPECT_EQ(outcome.members, owners == 0 ? all : all & ~(Members{1} << parties));
  const std::size_t smaller = takes_all_samples() ? 1 : 0;  // counts the group that consists of the actor only
  EXPECT_EQ(outcome.views, owners == 0 ? 2 * (makers - 1 + smaller) : parties + smaller);
  EXPECT_GT(outcome.decisions, 0u);
  EXPECT_LT(static_cast<double>(outcome.decisions) * level, most_false_alarms);
  EXPECT_TRUE(outcome.findings.empty()) << joined(outcome.findings);
}

class StatisticalTranscriptsWithoutADealer : public ::testing::TestWithParam<std::size_t> {};
class TranscriptsWithoutADealerLong : public StatisticalTranscriptsWithoutADealer {};

TEST_P(StatisticalTranscriptsWithoutADealer, TellNothing) {
  expect_to_tell_nothing(bandit_experiments_without_dealer().at(GetParam()));
}
TEST_P(TranscriptsWithoutADealerLong, TellNothing) {
  expect_to_tell_nothing(bandit_experiments_without_dealer().at(GetParam()));
}

std::string name_without_dealer(const ::testing::TestParamInfo<std::size_t>& chosen) {
  return identifier(bandit_experiments_without_dealer().at(chosen.param).name);
}
INSTANTIATE_TEST_SUITE_P(Bandit, StatisticalTranscriptsWithoutADealer,
                         ::testing::ValuesIn(places(bandit_experiments_without_dealer(), true)), name_without_dealer);
INSTANTIATE_TEST_SUITE_P(Bandit, TranscriptsWithoutADealerLong,
                         ::testing::ValuesIn(places(bandit_experiments_without_dealer(), false)), name_without_dealer);

void expect_to_be_caught(const Control& control) {
  const Outcome outcome = carry_out(control.experiment, parties_of(control.experiment.randomness));
  EXPECT_TRUE(any_says(outcome.findings, control.finding))
      << "no finding says '" << control.finding << "': " << joined(outcome.findings);
}

class StatisticalControlsWithoutADealer : public ::testing::TestWithParam<std::size_t> {};
class ControlsWithoutADealerLong : public StatisticalControlsWithoutADealer {};

TEST_P(StatisticalControlsWithoutADealer, AreCaught) { expect_to_be_caught(controls_without_dealer().at(GetParam())); }
TEST_P(ControlsWithoutADealerLong, AreCaught) { expect_to_be_caught(controls_without_dealer().at(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Leaks, StatisticalControlsWithoutADealer,
                         ::testing::ValuesIn(places(experiments_of(controls_without_dealer()), true)));
INSTANTIATE_TEST_SUITE_P(Leaks, ControlsWithoutADealerLong,
                         ::testing::ValuesIn(places(experiments_of(controls_without_dealer()), false)));

}  // namespace
}  // namespace sotto::privacy
