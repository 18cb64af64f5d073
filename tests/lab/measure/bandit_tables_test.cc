#include "sotto/bench/lab/measure/bandit_tables.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto::apps {
namespace {

// Within every target, to be changed by each test.
BanditMeasurement measured(const BanditCase& configuration, double step_us, double floor_us) {
  BanditMeasurement m{configuration, {}};
  m.figures.step_us = {2 * step_us, step_us, step_us / 2};
  m.figures.floor_us = {floor_us, 3 * floor_us, floor_us};
  m.figures.tls_step_us = {3 * step_us, 1.5 * step_us, step_us};
  m.figures.tls_floor_us = {2 * floor_us};
  m.figures.dealer_cpu_us = {70};
  m.figures.twin_us = {1};
  m.figures.rounds = 7;
  m.figures.sent_bytes = 30'000;
  m.figures.dealt_bytes = 65'000;
  m.figures.memory_bytes = 200'000'000;
  return m;
}

nlohmann::json targets(const std::vector<BanditMeasurement>& measurements) {
  return nlohmann::json::parse(bandit_target_table(measurements).to_json().dump());
}

TEST(BanditTables, ShowMedians) {
  const auto json = bandit_time_table({measured({2, 20, 10, 3000, false}, 80, 40)}).to_json();
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0].at("step_us"), 80);
  EXPECT_EQ(json[0].at("step_least_us"), 40);
  EXPECT_EQ(json[0].at("floor_us"), 40);
  EXPECT_EQ(json[0].at("times_the_floor"), 2);
  EXPECT_EQ(json[0].at("dealing"), "ahead");
  const auto costs = bandit_cost_table({measured({2, 20, 10, 3000, true}, 80, 40)}).to_json();
  EXPECT_EQ(costs[0].at("memory_mb"), 200);
  EXPECT_EQ(costs[0].at("dealing"), "streaming");
}

TEST(BanditTables, ShowWhatTlsAdds) {
  const auto json = bandit_tls_table({measured({2, 20, 10, 3000, false}, 80, 40)}).to_json();
  EXPECT_EQ(json[0].at("plain_step_us"), 80);
  EXPECT_EQ(json[0].at("tls_step_us"), 120);
  EXPECT_EQ(json[0].at("times_plain"), 1.5);
  EXPECT_EQ(json[0].at("plain_rounds_per_second"), 87500);
  EXPECT_EQ(json[0].at("tls_rounds_per_second"), 58333);
  EXPECT_EQ(json[0].at("tls_floor_us"), 80);
}

TEST(BanditTables, ComparePartiesWithTheFloor) {
  for (const auto& [parties, most] : {std::pair{2u, 2.0}, {3u, 1.6}, {8u, 1.3}}) {
    const BanditCase c{parties, 20, 10, 3000, false};
    const auto met = targets({measured(c, 100 * most, 100)});
    EXPECT_EQ(met.at(0).at("at_most"), most);
    EXPECT_EQ(met.at(0).at("met"), true);
    EXPECT_EQ(met.size(), parties == 2 ? 4u : 1u);
    EXPECT_EQ(targets({measured(c, 101 * most, 100)}).at(0).at("met"), false);
  }
}

TEST(BanditTables, CompareArmsWithTenArms) {
  const BanditMeasurement ten = measured({2, 20, 10, 3000, false}, 50, 40);
  for (const auto& [arms, most] : {std::pair{40u, 3.0}, {100u, 10.0}}) {
    const BanditCase c{2, 20, arms, 300, false};
    EXPECT_EQ(targets({measured(c, 50 * most, 40), ten}).at(0).at("met"), true);
    EXPECT_EQ(targets({ten, measured(c, 51 * most, 40)}).at(4).at("met"), false);
    EXPECT_TRUE(targets({measured(c, 50, 40)}).empty());  // nothing to compare with
  }
}

TEST(BanditTables, CompareStreamingWithItsTime) {
  const BanditCase c{2, 20, 10, 3000, true};
  EXPECT_EQ(targets({measured(c, 200, 40)}).at(0).at("met"), true);
  EXPECT_EQ(targets({measured(c, 201, 40)}).at(0).at("met"), false);
}

TEST(BanditTables, HaveNoTargetForOtherConfigurations) {
  EXPECT_TRUE(targets({measured({4, 20, 10, 3000, false}, 80, 40),
                       measured({2, 19, 10, 3000, false}, 80, 40),
                       measured({2, 20, 11, 3000, false}, 80, 40),
                       measured({3, 20, 10, 3000, true}, 80, 40)})
                  .empty());
}

}  // namespace
}  // namespace sotto::apps
