// Runs of programs of three parties without a dealer.
#pragma once

#include "sotto/protocols/preprocessing/replicated/run_replicated.h"
#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {

struct Cost2of3 {
  Cost preprocessing;
  Cost online;
};

// All parties have opened the same words. What is planned is what is sent; the program itself sends as many bytes in as
// many rounds as with a dealer.
template <class Program>
Numbers run_without_dealer(Program program, Cost2of3* cost = nullptr) {
  const auto whole = [&](Party& party) { return run_replicated(party, Seed::from_os(), "test", program); };
  const auto run = simulate(three(), whole);
  const Ledger planned = plan(three(), whole);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  const Ledger dealt = plan(Topology::parties_alone(3), program);
  EXPECT_EQ(run.ledger.of("online").sent, dealt.total().sent);
  EXPECT_EQ(run.ledger.of("online").rounds, dealt.total().rounds);
  EXPECT_EQ(run.nodes[1], run.nodes[0]);
  EXPECT_EQ(run.nodes[2], run.nodes[0]);
  if (cost != nullptr) *cost = {run.ledger.of("preprocessing"), run.ledger.of("online")};
  return run.nodes[0];
}

template <class Program>
void run_in(Topology topology, Program program) {
  (void)simulate(topology, [&](Party& party) { return run_replicated(party, Seed::from_os(), "test", program); });
}

inline Numbers random_fixed(std::size_t count, double bound, unsigned f, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-bound, bound);
  Numbers words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(fixed(uniform(random), f));
  return words;
}

}  // namespace sotto::protocols::testing
