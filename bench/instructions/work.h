// The pieces of work whose instructions are counted, under `valgrind --tool=callgrind --collect-atstart=no`: a step of
// the bandit, and each primitive. Outside valgrind counting is std::runtime_error.
//
// A piece of work is repeated in one simulation with fixed seeds, so that its instructions can be taken from the middle
// of it: after the free lists are filled and before anything is taken down.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/core/party/topology.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::instructions {

struct Work {
  std::string name;
  Topology topology;
  bool by_role;                // the last party, the dealer and the actor are counted apart too
  std::uint64_t repetitions;   // counted ones
  std::uint64_t first_rounds;  // before the first repetition
  std::uint64_t rounds;        // of a repetition
  std::function<void(std::uint64_t repetitions, protocols::SimulationOptions)> run;
};

// A step with 20 features: 2, 3 and 8 parties, 10 and 40 arms.
[[nodiscard]] std::vector<Work> bandit_work();

// Between two parties, at 1 and 1000 lanes.
[[nodiscard]] std::vector<Work> primitive_work();

// For each piece a dump whose trigger is named "<repetitions> <name>, <role>"; writes the names on stdout as it goes.
void count_all();

// Equal work for different secrets: the same programs run with secret `number` (0, 1 or 2: features, rewards and inputs
// are nothing, ordinary, or at the end of their range), with fixed seeds, and the instructions of all compute parties
// together are counted from the first round to the last. The dealer, the actor and the rewarder know their own secrets
// and are left out. Counts must be equal to the instruction (check_secrets.cmake); programs named "control: ..." branch
// on a secret, and their counts must differ. One process a secret, so that each begins with the same heap.
void count_with_secret(unsigned number);

// Work whose program is `program(party, repetitions)`.
template <class Program>
Work make_work(std::string name, Topology topology, std::uint64_t repetitions, Program program) {
  const auto rounds = [&](std::uint64_t often) {
    return protocols::plan(topology, [&](Party& party) { return program(party, often); }).total().rounds;
  };
  const std::uint64_t once = rounds(1);
  const std::uint64_t each = rounds(2) - once;
  const auto run = [topology, program](std::uint64_t often, protocols::SimulationOptions options) {
    (void)protocols::simulate(
        topology, [&](Party& party) { return program(party, often); }, std::move(options));
  };
  return Work{std::move(name), topology, false, repetitions, once - each, each, run};
}

}  // namespace sotto::instructions
