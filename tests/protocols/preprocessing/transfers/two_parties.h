// Runs of programs of two parties without a dealer, by oblivious transfers.
#pragma once

#include "sotto/protocols/preprocessing/transfers/run_transfers.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {

inline Topology two() { return Topology::without_dealer(2, false); }

struct CostOfTwo {
  Cost preprocessing;
  Cost online;
};

// Both parties have opened the same words. What is planned is what is sent; the program itself sends as many bytes in as many
// rounds as with a dealer.
template <class Program>
Numbers run_by_transfers(Program program, CostOfTwo* cost = nullptr) {
  const auto whole = [&](Party& party) { return run_transfers(party, Seed::from_os(), "test", program); };
  const auto run = simulate(two(), whole);
  const Ledger planned = plan(two(), whole);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  const Ledger dealt = plan(Topology::parties_alone(2), program);
  EXPECT_EQ(run.ledger.of("online").sent, dealt.total().sent);
  EXPECT_EQ(run.ledger.of("online").rounds, dealt.total().rounds);
  EXPECT_EQ(run.nodes[1], run.nodes[0]);
  if (cost != nullptr) *cost = {run.ledger.of("preprocessing"), run.ledger.of("online")};
  return run.nodes[0];
}

template <class Program>
void run_two_in(Topology topology, Program program) {
  (void)simulate(topology, [&](Party& party) { return run_transfers(party, Seed::from_os(), "test", program); });
}

}  // namespace sotto::protocols::testing
