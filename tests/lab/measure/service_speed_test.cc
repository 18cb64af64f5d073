// The bench of services: every row measures something.
#include "sotto/bench/lab/measure/service_speed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

const std::atomic<bool> never{false};

TEST(ServiceSpeed, TakesAllThatIsSent) {
  for (const bool encrypted : {false, true}) {
    const ServiceSpeed speed = measure_service({encrypted, 20, 1000}, 0, never);
    EXPECT_GT(speed.messages_per_second, 0);
    EXPECT_GT(speed.ask_microseconds, 0);
  }
}

TEST(ServiceSpeed, HasARowForEachLinkAndSize) {
  const auto rows = service_table(5, 0, never).to_json();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[7]["link"], "TCP");
  EXPECT_EQ(rows[7]["clients"], 5);
  for (const auto& row : rows) EXPECT_GT(row["megabytes_per_second"], 0);
}

TEST(ServiceSpeed, EndsWhenInterrupted) {
  const std::atomic<bool> interrupted{true};
  EXPECT_THROW(static_cast<void>(measure_service({false, 2, 10}, 1000, interrupted)), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
