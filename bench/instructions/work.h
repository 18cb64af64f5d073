// The pieces of work whose instructions are counted: a step of the bandit, and each primitive.
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
