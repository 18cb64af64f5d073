// Programs of the private bandit that this process plays with all roles, one after the other.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit::run {

// The node's own number if it is a compute party.
[[nodiscard]] inline std::optional<std::size_t> number_of(const Party& party) {
  for (NodeId node = 0; node < party.topology().parties(); ++node) {
    if (party.is(node)) return node;
  }
  return std::nullopt;
}

inline protocols::SimulationOptions ticking(const std::function<void()>& tick) {
  protocols::SimulationOptions options;
  if (!tick) return options;
  options.watch = [&tick](std::optional<NodeId>, std::uint64_t, bool begins) {
    if (begins) tick();
  };
  return options;
}

// The program of a role. Without a dealer the roles make the randomness together. For this, `recorded` runs without
// inputs, only to record the requests.
template <class Result>
Task<Result> on_randomness(Party& party, const BatchPlan& plan, const std::function<Task<Result>(Party&)>& program,
                           const protocols::StartProgram& recorded) {
  std::optional<Result> result;
  const protocols::StartProgram mine = [&](Party& at) { return protocols::leaving(program(at), result); };
  protocols::OwnRandomness own = protocols::draw_own_randomness(party, "in memory", std::nullopt);
  co_await protocols::run_with_randomness(party, plan.parameters.preprocessing, std::move(own), mine, recorded);
  co_return std::move(*result);
}

// Plays all roles in turn.
template <class Result>
protocols::Simulation<Result> played(const BatchPlan& plan, const std::function<Task<Result>(Party&)>& program,
                                     const protocols::StartProgram& recorded, const std::function<void()>& tick) {
  const auto whole = [&](Party& party) { return on_randomness(party, plan, program, recorded); };
  return protocols::simulate(plan.parameters.topology(), whole, ticking(tick));
}

}  // namespace sotto::apps::bandit::run
