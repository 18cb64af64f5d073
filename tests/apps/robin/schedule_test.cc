#include "sotto/apps/robin/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>

namespace sotto::apps {
namespace {

TEST(Schedule, IsThatOfTheReference) {
  const RobinSettings settings = checked({});
  const auto phases = phases_of(settings);
  ASSERT_EQ(phases.size(), 12U);
  EXPECT_EQ(releases_of(settings), 6U);
  EXPECT_EQ(estimate_steps(phases[5]), 126U);  // of the whole initialisation
  EXPECT_EQ(estimate_steps(phases[6]), 128U);  // of the phase
  EXPECT_FALSE(phases.back().uploads);         // nobody would play on it
}

RC_GTEST_PROP(Schedule, DoublesUntilTheHorizon, ()) {
  RobinSettings settings;
  settings.init_phases = *rc::gen::inRange<std::size_t>(1, 12);
  const std::uint64_t init = (std::uint64_t{2} << settings.init_phases) - 2;
  settings.horizon = *rc::gen::inRange<std::uint64_t>(init + 1, 100'000);
  settings = checked(settings);
  const auto phases = phases_of(settings);
  const auto alone = local_phases_of(settings);
  RC_ASSERT(phases.size() == alone.size());
  std::uint64_t step = 0;
  std::size_t uploads = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const bool last = i + 1 == phases.size();
    RC_ASSERT(phases[i].number == i + 1);
    RC_ASSERT(phases[i].first_step == step);
    RC_ASSERT((last ? phases[i].steps <= std::uint64_t{2} << i
                    : phases[i].steps == std::uint64_t{2} << i));
    RC_ASSERT(phases[i].local == (i < settings.init_phases));
    RC_ASSERT(phases[i].uploads == (i + 1 >= settings.init_phases && !last));
    RC_ASSERT(alone[i].local && !alone[i].uploads && alone[i].steps == phases[i].steps);
    step += phases[i].steps;
    uploads += phases[i].uploads ? 1 : 0;
  }
  RC_ASSERT(step == settings.horizon);
  RC_ASSERT(uploads == releases_of(settings));
  RC_ASSERT(uploads >= 1U);
}

TEST(Schedule, TauIsThatOfTheReference) {
  RobinSettings settings = checked({});
  const auto phases = phases_of(settings);
  EXPECT_THROW((void)tau_of(settings, phases[5]), std::invalid_argument);
  settings.lambda_min = .196;
  EXPECT_DOUBLE_EQ(tau_of(settings, phases[5]), 1.5 / std::sqrt(.196 * 126));
  settings.noise_sd = .5;
  EXPECT_DOUBLE_EQ(tau_of(settings, phases[6]), .75 / std::sqrt(.196 * 128));
  settings.noise_sd = 0;
  EXPECT_GT(tau_of(settings, phases[6]), 0);
}

}  // namespace
}  // namespace sotto::apps
