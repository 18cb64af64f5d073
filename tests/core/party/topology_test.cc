#include "sotto/core/party/topology.h"

#include <gtest/gtest.h>

#include "sotto/core/wire/slot.h"

namespace sotto {
namespace {

TEST(Topology, SharingHasAnActorAndADealer) {
  const Topology two(2);
  EXPECT_TRUE(two.has_dealer());
  EXPECT_EQ(two.nodes(), 3u);
  EXPECT_EQ(two.actor(), 2);
  EXPECT_EQ(two.rewarder(), 2);
  EXPECT_EQ(two.name(2), "actor");
  const Topology three(3, true);
  EXPECT_EQ(three.nodes(), 5u);
  EXPECT_EQ(three.rewarder(), 4);
  EXPECT_EQ(three.name(4), "rewarder");
  EXPECT_FALSE(three.third_party_generator());
}

TEST(Topology, MaskingHasParticipantsAndPerhapsAGenerator) {
  const Topology apart = Topology::masking(3, true);
  EXPECT_FALSE(apart.has_dealer());
  EXPECT_FALSE(apart.separate_rewarder());
  EXPECT_EQ(apart.parties(), 3u);
  EXPECT_EQ(apart.nodes(), 4u);
  EXPECT_EQ(apart.generator(), 3);
  EXPECT_EQ(apart.actor(), 0);
  EXPECT_EQ(apart.rewarder(), 0);
  EXPECT_EQ(apart.name(0), "active participant");
  EXPECT_EQ(apart.name(2), "passive participant 2");
  EXPECT_EQ(apart.name(3), "mask generator");
  EXPECT_EQ(Topology::masking(3, false).nodes(), 3u);
  EXPECT_FALSE(apart == Topology(3));
  EXPECT_FALSE(apart == Topology::masking(3, false));
}

TEST(Topology, RefusesTooFewAndTooMany) {
  for (const std::size_t count : {0u, 1u, 9u}) {
    EXPECT_THROW(Topology{count}, std::invalid_argument);
    EXPECT_THROW((void)Topology::masking(count, true), std::invalid_argument);
  }
}

TEST(Slot, DirectFlowsFromItsSourceToItsEndpointAlone) {
  const Topology topology = Topology::masking(3, true);
  const Slot slot{"seed", SlotKind::direct, 64, 5, 2, Group::sum, 3};
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      EXPECT_EQ(slot.payload_bytes(topology, from, to), from == 3 && to == 2 ? 40u : 0u);
    }
  }
}

}  // namespace
}  // namespace sotto
