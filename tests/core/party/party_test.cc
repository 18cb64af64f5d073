#include "sotto/core/party/party.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sotto {
namespace {

struct NoCorrelations final : Correlations {
  void add_uniform(Words&, std::size_t, unsigned) override {}
  Words uniform(std::size_t, unsigned, Group) override { return {}; }
  Words uniform_known_to(NodeId, std::size_t, unsigned) override { return {}; }
  bool at_dealer() const noexcept override { return false; }
  Prg& coins() override { throw std::logic_error("no coins"); }
  Words distribute(Words, std::size_t, unsigned, Group) override { return {}; }
};

TEST(Party, KnowsItsRole) {
  NoCorrelations none;
  const Topology topology(2, true);
  Rounds rounds(topology, std::nullopt);
  const Party first(Role::party, NodeId{0}, rounds, none);
  const Party second(Role::party, NodeId{1}, rounds, none);
  const Party actor(Role::actor, topology.actor(), rounds, none);
  const Party dealer(Role::dealer, std::nullopt, rounds, none);
  const Party planner(Role::planner, std::nullopt, rounds, none);

  EXPECT_TRUE(first.holds_shares() && second.holds_shares());
  EXPECT_FALSE(actor.holds_shares() || dealer.holds_shares() || planner.holds_shares());
  EXPECT_TRUE(first.adds_constants());
  EXPECT_FALSE(second.adds_constants() || actor.adds_constants() || dealer.adds_constants());
  EXPECT_TRUE(dealer.deals());
  EXPECT_FALSE(first.deals() || actor.deals() || planner.deals());
  EXPECT_TRUE(actor.is(2) && second.is(1));
  EXPECT_FALSE(dealer.is(0) || planner.is(0) || first.is(1));
  EXPECT_EQ(first.topology(), topology);
}

TEST(Party, EntersPhasesOfItsLedger) {
  NoCorrelations none;
  Rounds rounds(Topology(2), NodeId{0});
  Party party(Role::party, NodeId{0}, rounds, none);
  party.enter_phase("step");
  ASSERT_EQ(rounds.ledger().phases().size(), 1u);
  EXPECT_EQ(rounds.ledger().phases()[0].name, "step");
}

}  // namespace
}  // namespace sotto
