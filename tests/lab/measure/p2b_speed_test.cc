// The bench of P2B's shuffler: every row measures something, whatever it is.
#include "sotto/bench/lab/measure/p2b_speed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

const std::atomic<bool> never{false};

P2bTrial small_trial() {
  P2bTrial trial;
  trial.reports = 1000;
  trial.reports_a_message = 64;
  return trial;
}

TEST(P2bSpeed, TakesAllReportsOfAllAgents) {
  for (const bool encrypted : {false, true}) {
    P2bTrial trial = small_trial();
    trial.encrypted = encrypted;
    trial.agents = 3;
    // The shuffler ends once it has counted all of them, and so do the agents.
    const P2bSpeed speed = measure_shuffler(trial, never);
    EXPECT_GT(speed.reports_per_second, 0);
    EXPECT_GT(speed.shuffler_us, 0);
    EXPECT_GT(speed.memory_mb, 1);
  }
  EXPECT_GT(measure_queue(small_trial()).reports_per_second, 0);
}

TEST(P2bSpeed, HasARowForEachLinkAndFloor) {
  const P2bTables tables = p2b_tables(small_trial(), 0, never);
  const auto rows = tables.speeds.to_json();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[2]["link"], "TCP");
  EXPECT_EQ(rows[4]["what"], "its queue alone");
  for (const auto& row : rows) EXPECT_GT(row["reports_per_second"], 0);
  ASSERT_EQ(tables.targets.to_json().size(), 1U);
  EXPECT_EQ(tables.targets.to_json()[0]["target"], 100'000);
}

TEST(P2bSpeed, EndsWhenInterrupted) {
  const std::atomic<bool> interrupted{true};
  EXPECT_THROW(static_cast<void>(measure_shuffler(small_trial(), interrupted)), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
