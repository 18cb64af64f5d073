#include "net/handshake/standing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "core/error/errors.h"
#include "net/peers.h"

namespace sotto::net {
namespace {

using Standings = std::map<NodeId, Standing>;

Standings standings(const Topology& topology, const Standing& of_all) {
  Standings result{{dealer_id, of_all}};
  result[dealer_id].stateful = false;
  result[dealer_id].checkpoints.clear();
  for (NodeId node = 0; node < topology.nodes(); ++node) result[node] = of_all;
  return result;
}

TEST(Standing, AFirstRunOpensTheFirstEpoch) {
  for (const bool stateful : {false, true}) {
    Standing none;
    none.stateful = stateful;
    EXPECT_EQ(agree_on(Topology(2), standings(Topology(2), none)), (Opening{1, 0, 0}));
  }
}

TEST(Standing, TheNewestCheckpointThatAllHaveIsTaken) {
  const Topology topology(3);
  Standings all = standings(topology, Standing{true, 4, {100, 200}, 230});
  EXPECT_EQ(agree_on(topology, all), (Opening{5, 200, 30}));
  all.at(1).checkpoints = {100};  // it died before it wrote the second
  all.at(0).epoch = 5;            // and this one after it had opened the next
  all.at(2).begun = 231;
  EXPECT_EQ(agree_on(topology, all), (Opening{6, 100, 131}));
  all.at(1).checkpoints = {300};
  EXPECT_EQ(agree_on(topology, all), (Opening{6, 0, 231}));
}

// The actor of a run with a rewarder of its own keeps no results.
TEST(Standing, WhoHoldsNoResultsNeedsNoCheckpoint) {
  const Topology topology(2, true);
  Standings all = standings(topology, Standing{true, 1, {50}, 60});
  all.at(topology.actor()) = Standing{false, 1, {}, 61};
  EXPECT_EQ(agree_on(topology, all), (Opening{2, 50, 11}));
  all.at(topology.rewarder()).checkpoints.clear();
  EXPECT_EQ(agree_on(topology, all), (Opening{2, 0, 61}));
}

TEST(Standing, AStateAtSomeHoldersOnlyIsADisagreement) {
  const Topology topology(2);
  for (const NodeId odd : {NodeId{0}, NodeId{1}, topology.rewarder()}) {
    Standings all = standings(topology, Standing{true, 1, {}, 3});
    all.at(odd) = Standing{};
    EXPECT_THROW((void)agree_on(topology, all), DisagreementError) << int{odd};
  }
}

TEST(Standing, EpochsEnd) {
  Standings all = standings(Topology(2), Standing{true, 7, {}, 0});
  all.at(dealer_id).epoch = 0xffffffff;
  try {
    (void)agree_on(Topology(2), all);
    FAIL() << "an epoch after the last";
  } catch (const DisagreementError& error) {
    EXPECT_NE(std::string(error.what()).find("the dealer"), std::string::npos) << error.what();
  }
}

TEST(Standing, AMissingRoleIsAProgrammersMistake) {
  Standings all = standings(Topology(2), Standing{});
  all.erase(dealer_id);
  EXPECT_THROW((void)agree_on(Topology(2), all), std::invalid_argument);
}

TEST(Standing, OnlyWhatAStoreCanHoldIsValid) {
  EXPECT_TRUE(is_valid(Standing{}));
  EXPECT_TRUE(is_valid(Standing{false, 3, {}, 9}));  // the dealer: epochs and begun marks only
  EXPECT_TRUE(is_valid(Standing{true, 3, {1, 2}, 9}));
  EXPECT_FALSE(is_valid(Standing{false, 3, {1}, 9}));
  EXPECT_FALSE(is_valid(Standing{true, 3, {1, 2, 3}, 9}));
  EXPECT_FALSE(is_valid(Standing{true, 3, {2, 1}, 9}));
  EXPECT_FALSE(is_valid(Standing{true, 3, {2, 2}, 9}));
}

Standing any_standing() {
  Standing standing;
  standing.stateful = true;
  standing.epoch = *rc::gen::inRange<std::uint32_t>(0, 10);
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 4);
  const auto count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < count; ++i) standing.checkpoints.push_back(10 * (first + std::uint64_t(i)));
  standing.begun = *rc::gen::inRange<std::uint64_t>(0, 60);
  return standing;
}

// Against the contract, spelled out on sets.
RC_GTEST_PROP(StandingProperties, TheOpeningFollowsFromAllStandings, ()) {
  const Topology topology(*rc::gen::inRange<std::size_t>(2, 5), *rc::gen::arbitrary<bool>());
  Standings all{{dealer_id, any_standing()}};
  for (NodeId node = 0; node < topology.nodes(); ++node) all[node] = any_standing();
  const Opening opening = agree_on(topology, all);

  std::set<std::uint64_t> common{0};
  for (std::uint64_t step = 0; step <= 60; ++step) {
    bool held = true;
    for (const auto& [role, s] : all) {
      const bool holds = topology.is_party(role) || role == topology.rewarder();
      if (holds) {
        held = held && std::count(s.checkpoints.begin(), s.checkpoints.end(), step) == 1;
      }
    }
    if (held) common.insert(step);
  }
  RC_ASSERT(opening.from_step == *common.rbegin());
  std::uint64_t begun = 0;
  for (const auto& [role, s] : all) {
    RC_ASSERT(opening.epoch > s.epoch);  // no epoch is ever opened twice
    begun = std::max(begun, s.begun);
  }
  RC_ASSERT(opening.from_step + opening.repeated == std::max(begun, opening.from_step));
}

}  // namespace
}  // namespace sotto::net
