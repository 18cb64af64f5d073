#include "sotto/core/party/party.h"
#include "sotto/core/party/no_preprocessing.h"
#include "sotto/core/party/topology.h"
#include "sotto/core/wire/slot.h"
#include "tests/core/party/round_net.h"

namespace sotto {
namespace {

TEST(Party, KnowsItsRole) {
  NoPreprocessing none;
  const Topology topology(2, true);
  Rounds of_first(topology, NodeId{0});
  Rounds of_second(topology, NodeId{1});
  Rounds of_outside(topology, topology.outside_node());
  Rounds of_none(topology, std::nullopt);
  const Party first(of_first, none);
  const Party second(of_second, none);
  const Party outside(of_outside, none);
  const Party dealer(of_none, none);

  EXPECT_TRUE(first.holds_shares() && second.holds_shares());
  EXPECT_FALSE(outside.holds_shares() || dealer.holds_shares());
  EXPECT_TRUE(first.adds_constants());
  EXPECT_FALSE(second.adds_constants() || outside.adds_constants() || dealer.adds_constants());
  EXPECT_TRUE(outside.is(2) && second.is(1));
  EXPECT_FALSE(dealer.is(0) || first.is(1));
  EXPECT_EQ(first.topology(), topology);
}

TEST(Party, EntersPhasesOfItsLedger) {
  NoPreprocessing none;
  Rounds rounds(Topology(2), NodeId{0});
  Party party(rounds, none);
  party.enter_phase("step");
  ASSERT_EQ(rounds.ledger().phases().size(), 1u);
  EXPECT_EQ(rounds.ledger().phases()[0].name, "step");
}

TEST(Topology, NumbersPartiesThenThoseOutside) {
  const Topology joint(2);
  EXPECT_TRUE(joint.has_dealer());
  EXPECT_EQ(joint.nodes(), 3u);
  EXPECT_EQ(joint.outside_node(), 2);
  EXPECT_EQ(joint.name(2), "outside node");
  const Topology separate(8, true);
  EXPECT_EQ(separate.nodes(), max_nodes);
  EXPECT_EQ(separate.further_node(), 9);
  EXPECT_EQ(separate.last_party(), 7);
  EXPECT_EQ(separate.name(7), "party 7");
  EXPECT_EQ(separate.name(9), "further node");
  EXPECT_TRUE(separate.has_further_node());
  EXPECT_FALSE(separate.is_party(8));
}

TEST(Topology, WithoutADealerTheProgramNamesTheNodes) {
  static constexpr NodeNames names{"first", "other", "", "helper of all", "members"};
  const Topology apart = Topology::without_dealer(3, true, names);
  EXPECT_FALSE(apart.has_dealer());
  EXPECT_EQ(apart.parties(), 3u);
  EXPECT_EQ(apart.nodes(), 4u);
  EXPECT_EQ(apart.further_node(), 3);
  EXPECT_EQ(apart.name(0), "first");
  EXPECT_EQ(apart.name(2), "other 2");
  EXPECT_EQ(apart.name(3), "helper of all");
  EXPECT_EQ(Topology::without_dealer(3, false).nodes(), 3u);
  EXPECT_FALSE(apart == Topology(3));
  EXPECT_FALSE(apart == Topology::without_dealer(3, false));
}

TEST(Topology, RefusesTooFewAndTooMany) {
  for (const std::size_t count : {0u, 1u, 9u}) {
    EXPECT_THROW(Topology{count}, std::invalid_argument);
    EXPECT_THROW((void)Topology::without_dealer(count, true), std::invalid_argument);
  }
}

TEST(Slot, DirectFlowsFromItsSourceToItsEndpointAlone) {
  const Topology topology = Topology::without_dealer(3, true);
  const Slot slot{"seed", SlotKind::direct, 64, 5, 2, Group::sum, 3};
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      EXPECT_EQ(slot.payload_bytes(topology, from, to), from == 3 && to == 2 ? 40u : 0u);
    }
  }
}

}  // namespace
}  // namespace sotto
