#include "sotto/protocol/party/party.h"

#include "core/party/no_preprocessing.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/slot.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/core/party/round_net.h"
#include "tests/framework.h"

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
  EXPECT_EQ(separate.nodes(), 10u);
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

TEST(Topology, OwnersStandBetweenThePartiesAndTheOthers) {
  const Topology topology = Topology::without_dealer(3, true, true).with_owners(8);
  EXPECT_EQ(topology.nodes(), max_nodes);
  EXPECT_EQ(topology.parties(), 3u);
  EXPECT_EQ(topology.owners(), 8u);
  EXPECT_EQ(topology.owner(7), 10);
  EXPECT_EQ(topology.outside_node(), 11);
  EXPECT_EQ(topology.further_node(), 12);
  EXPECT_FALSE(topology.is_owner(2));
  EXPECT_TRUE(topology.is_owner(3));
  EXPECT_TRUE(topology.is_owner(10));
  EXPECT_FALSE(topology.is_owner(11));
  EXPECT_FALSE(topology.is_party(3));
  EXPECT_EQ(topology.name(2), "party 2");
  EXPECT_EQ(topology.name(3), "owner 0");
  EXPECT_EQ(topology.name(11), "outside node");
  EXPECT_EQ(topology.name(12), "further node");
  EXPECT_FALSE(topology == topology.with_owners(7));
  EXPECT_TRUE(topology.with_owners(0) == Topology::without_dealer(3, true, true));
  EXPECT_NO_THROW((void)Topology(8).with_owners(3));
  EXPECT_THROW((void)Topology(8).with_owners(4), std::invalid_argument);
  EXPECT_THROW((void)Topology(2).with_owners(9), std::invalid_argument);
}

TEST(Topology, AHelperStandsBehindTwoParties) {
  const Topology topology = Topology::with_helper(true, true);
  EXPECT_EQ(topology.parties(), 2u);
  EXPECT_EQ(topology.nodes(), 5u);
  EXPECT_FALSE(topology.has_dealer());
  EXPECT_TRUE(topology.is_helper(2));
  EXPECT_FALSE(topology.is_party(2));
  EXPECT_FALSE(topology.is_owner(2));
  EXPECT_EQ(topology.outside_node(), 3);
  EXPECT_EQ(topology.further_node(), 4);
  EXPECT_EQ(topology.name(2), "helper");
  EXPECT_EQ(topology.name(3), "outside node");
  EXPECT_FALSE(topology == Topology::without_dealer(2, true, true));
  EXPECT_THROW((void)topology.with_owners(1), std::invalid_argument);
  EXPECT_NO_THROW((void)topology.with_owners(0));
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

const Slot open_slot{"scores", SlotKind::open, 64, 10};
const Slot byte_slot{"wins", SlotKind::open, 5, 7};
const Slot arm_slot{"arm", SlotKind::open_to, 8, 4, 3};
const Slot reward_slot{"reward", SlotKind::broadcast, 64, 1, 3};

TEST(Ledger, CountsWhatEachNodeSends) {
  Ledger ledger{Topology(3)};
  const Slot slots[] = {open_slot, byte_slot, arm_slot};
  ledger.count_round(slots);
  const std::uint64_t to_party = FrameHeader::size + 80 + 7;
  const std::uint64_t to_actor = FrameHeader::size + 4;
  for (NodeId p = 0; p < 3; ++p) EXPECT_EQ(ledger.total().sent[p], 2 * to_party + to_actor);
  EXPECT_EQ(ledger.total().sent[3], 0u);
  const Slot reward[] = {reward_slot};
  ledger.count_round(reward);
  EXPECT_EQ(ledger.total().sent[3], 3 * (FrameHeader::size + 8));
  EXPECT_EQ(ledger.total().rounds, 2u);
  EXPECT_EQ(ledger.total().sent_by_largest_party(Topology(3)), 2 * to_party + to_actor);
}

TEST(Ledger, ARoundWithoutBytesIsARound) {
  Ledger ledger{Topology(2)};
  const Slot slots[] = {Slot{"none", SlotKind::open, 64, 0}};
  ledger.count_round(slots);
  EXPECT_EQ(ledger.total().rounds, 1u);
  EXPECT_EQ(ledger.total().sent[0], 0u);
}

TEST(Ledger, KeepsPhasesApartAndDetailsTheSecondPassWhereThereIsOne) {
  Ledger ledger{Topology(2)};
  const Slot first[] = {open_slot, byte_slot, open_slot};
  const Slot second[] = {byte_slot};
  ledger.enter("setup");
  ledger.count_dealt(5);
  ledger.count_round(first);
  for (const std::uint64_t dealt : {9u, 7u, 8u}) {
    ledger.enter("step");
    if (dealt == 9) ledger.count_round(first);
    ledger.count_dealt(dealt);
    ledger.count_round(second);
  }

  ASSERT_EQ(ledger.phases().size(), 2u);
  const Ledger::Phase& setup = ledger.phases()[0];
  const Ledger::Phase& step = ledger.phases()[1];
  EXPECT_EQ(setup.name, "setup");
  EXPECT_EQ(setup.passes, 1u);
  ASSERT_EQ(setup.rounds.size(), 1u);
  EXPECT_EQ(setup.rounds[0].labels, "scores, wins");
  EXPECT_EQ(setup.rounds[0].cost.dealt, 5u);
  EXPECT_EQ(step.passes, 3u);
  ASSERT_EQ(step.rounds.size(), 1u);
  EXPECT_EQ(step.rounds[0].labels, "wins");
  EXPECT_EQ(step.rounds[0].cost.dealt, 7u);
  EXPECT_EQ(step.total.rounds, 4u);
  EXPECT_EQ(step.total.dealt, 24u);
  EXPECT_EQ(ledger.of("step"), step.total);
  EXPECT_EQ(ledger.of("no such phase"), Cost{});
  Cost sum = setup.total;
  sum += step.total;
  EXPECT_EQ(ledger.total(), sum);
}

TEST(Ledger, RepeatsWhatALongerProgramHasMore) {
  const auto account = [](int turns) {
    Ledger ledger{Topology(2)};
    for (int turn = 0; turn < turns; ++turn) {
      ledger.enter("turn");
      ledger.count_dealt(100);
      const Slot open{"x", SlotKind::open, 64, 3};
      ledger.count_round(std::span(&open, 1));
    }
    ledger.enter("end");
    ledger.count_dealt(7);
    return ledger;
  };
  Ledger ledger = account(2);
  ledger.repeat(account(3), 1000);
  const Ledger all = account(1002);
  EXPECT_EQ(ledger.total(), all.total());
  EXPECT_EQ(ledger.phases()[0].passes, 1002u);
  EXPECT_EQ(ledger.of("end"), all.of("end"));
  EXPECT_THROW(ledger.repeat(account(3), 1), std::invalid_argument);
  EXPECT_THROW(ledger.repeat(Ledger{Topology(2)}, 1), std::invalid_argument);
}

TEST(Ledger, HasAPhaseOfItsOwnBeforeAnyIsEntered) {
  Ledger ledger{Topology(2)};
  ledger.count_dealt(3);
  ASSERT_EQ(ledger.phases().size(), 1u);
  EXPECT_EQ(ledger.phases()[0].name, "program");
  EXPECT_EQ(ledger.total().dealt, 3u);
}

TEST(Ledger, KnowsTheLargestChunkOfAnyPhase) {
  const Slot slot{"wins", SlotKind::open, 8, 1};
  Ledger ledger{Topology(2)};
  EXPECT_EQ(ledger.largest_chunk(), 0u);
  ledger.enter("setup");
  ledger.count_dealt(5);
  ledger.count_dealt(6);
  ledger.count_round(std::span(&slot, 1));
  ledger.enter("step");
  ledger.count_dealt(10);
  ledger.count_round(std::span(&slot, 1));
  EXPECT_EQ(ledger.largest_chunk(), 11u);
  ledger.count_dealt(12);
  EXPECT_EQ(ledger.largest_chunk(), 12u);
}

}  // namespace

}  // namespace sotto
