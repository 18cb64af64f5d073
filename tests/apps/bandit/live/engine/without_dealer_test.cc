// The engines of a service without a dealer: programs are prepared ahead, used once, and gone with their epoch.
#include <thread>

#include "tests/apps/bandit/live/engine/visitors.h"

namespace sotto::apps::testing {
namespace {

class WithoutDealer : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  [[nodiscard]] static std::size_t parties() { return GetParam() == RandomnessBy::ot ? 2 : 3; }
  [[nodiscard]] static LiveSettings settings() {
    LiveSettings settings = engine_settings();
    settings.batch_sizes = {1, 8};
    return settings;
  }
};

TEST_P(WithoutDealer, WhatIsToldIsLearned) {
  Engines engines(parties(), settings(), GetParam());
  Visitors visitors(engines, 60);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.go_on(12);
    return visitors.all_done() && nothing_pending(engines);
  }));
  expect_model(engines, visitors);
  EXPECT_EQ(engines.actor->counters().decided, 60u);
  EXPECT_EQ(engines.actor->status().epoch, 1u);
  for (const NodeId role : engines.roles()) {
    const LiveCounters counters = engines.service(role)->counters();
    EXPECT_GE(counters.programs_prepared, counters.decides + counters.learns) << engines.service(role)->status().role;
    EXPECT_EQ(counters.programs_dealt, 0u);
    EXPECT_EQ(counters.dealt_bytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Live, WithoutDealer, ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

}  // namespace
}  // namespace sotto::apps::testing
