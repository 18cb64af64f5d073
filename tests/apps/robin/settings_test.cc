#include "sotto/apps/robin/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(RobinSettings, ChoosesTheInitialisationOfTheReference) {
  EXPECT_EQ(chosen_init_phases(4), 6U);
  EXPECT_EQ(chosen_init_phases(8), 8U);
  EXPECT_EQ(chosen_init_phases(1), 2U);
  for (std::size_t d = 1; d < 100; ++d) {
    const std::size_t u = chosen_init_phases(d);
    EXPECT_GE((std::uint64_t{2} << u) - 2, 8 * d * d - 2);
    EXPECT_LT((std::uint64_t{2} << (u - 1)) - 2, 8 * d * d - 2);
  }
}

TEST(RobinSettings, FillsInWhatWasNotSaid) {
  const RobinSettings settings = checked({});
  EXPECT_EQ(settings.init_phases, 6U);
  EXPECT_EQ(settings.reward_bound, 7);
  EXPECT_EQ(settings.lambda_min, 0);
  RobinSettings said;
  said.init_phases = 3;
  said.reward_bound = 2;
  EXPECT_EQ(checked(said).init_phases, 3U);
  EXPECT_EQ(checked(said).reward_bound, 2);
}

TEST(RobinSettings, RefusesWhatCannotBeAndNamesTheFlag) {
  using Change = std::function<void(RobinSettings&)>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<const char*, Change>> changes = {
      {"--clients", [](RobinSettings& s) { s.clients = 1; }},
      {"--clients", [](RobinSettings& s) { s.clients = most_robin_clients + 1; }},
      {"--dim", [](RobinSettings& s) { s.dimension = 0; }},
      {"--dim", [](RobinSettings& s) { s.dimension = most_robin_dimension + 1; }},
      {"--arms", [](RobinSettings& s) { s.arms = 0; }},
      {"--horizon", [](RobinSettings& s) { s.horizon = 1; }},
      {"--horizon", [](RobinSettings& s) { s.horizon = 126; }},
      {"--init-phases", [](RobinSettings& s) { s.init_phases = 63; }},
      {"--eps", [](RobinSettings& s) { s.epsilon = 0; }},
      {"--eps", [](RobinSettings& s) { s.epsilon = -1; }},
      {"--eps", [&](RobinSettings& s) { s.epsilon = nan; }},
      {"--delta", [](RobinSettings& s) { s.delta = 0; }},
      {"--delta", [](RobinSettings& s) { s.delta = 1; }},
      {"--noise", [](RobinSettings& s) { s.composition = Composition::nested; }},
      {"--noise-sd", [&](RobinSettings& s) { s.noise_sd = nan; }},
      {"--margin", [](RobinSettings& s) { s.margin = -.1; }},
      {"--diversity", [](RobinSettings& s) { s.diversity = 0; }},
      {"--diversity", [](RobinSettings& s) { s.diversity = 1.1; }},
      {"--lambda-min", [](RobinSettings& s) { s.lambda_min = .26; }},
      {"--tau-factor", [](RobinSettings& s) { s.tau_factor = 0; }},
      {"--alpha", [](RobinSettings& s) { s.alpha = -1; }},
      {"--ridge", [](RobinSettings& s) { s.ridge = 0; }},
      {"--bound", [](RobinSettings& s) { s.bound = HUGE_VAL; }},
      {"--reward-bound", [](RobinSettings& s) { s.reward_bound = -1; }},
      {"--most-misfire", [](RobinSettings& s) { s.most_misfire = 2; }},
  };
  for (const auto& [flag, change] : changes) {
    RobinSettings settings;
    change(settings);
    try {
      (void)checked(settings);
      ADD_FAILURE() << flag << " was accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), StartsWith(std::string(flag) + ": "));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
}

TEST(RobinSettings, AcceptsItsOwnAnswer) {
  const RobinSettings once = checked({});
  const RobinSettings twice = checked(once);
  EXPECT_EQ(twice.init_phases, once.init_phases);
  EXPECT_EQ(twice.reward_bound, once.reward_bound);
}

}  // namespace
}  // namespace sotto::apps
