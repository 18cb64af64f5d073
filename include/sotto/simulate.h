// simulate: runs a program with all its parties in this process. plan: the exact costs of a program, from its shapes.
//
//     auto run = simulate({first, second}, fit);       fit(Session&, Matrix mine) -> Task<T>
//     run.result(0)                                    what the program returned at party 0
//     run.rounds, run.bytes, run.dealt                 as counted on the frames
//     plan(2, fit).rounds                              the same, before anything runs
//
//     constexpr SessionOptions by_themselves{.preprocessing = RandomnessBy::replicated};
//     auto run = simulate({a, b, c}, fit, by_themselves);     three parties, no dealer; two parties: ot or helper
//
// `inputs` has the inputs of the parties, in order, and then the input of the receiver, if there is one. The type of
// the inputs needs a default value. For a program without inputs, pass the number of parties instead of inputs. The
// program must be a function, or a lambda that calls a function, but not a coroutine with captures.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/functions.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/session.h"
#include "sotto/trace.h"

namespace sotto {

// The costs of a run; bytes include the headers of frames.
struct RunCost {
  std::uint64_t rounds = 0;
  std::uint64_t bytes = 0;  // sent by the party that sends most
  std::uint64_t dealt = 0;  // from the dealer to the last party
  Ledger ledger;            // the costs by phase, by round and by node
  std::vector<Opened> opened;
  // The part of the costs for making the randomness; 0 with a dealer.
  std::uint64_t preprocessing_rounds = 0;
  std::uint64_t preprocessing_bytes = 0;
  // Set by plan(): the first 256 operations that take rounds or randomness, and the digest of all of them and of the
  // ledger.
  std::vector<std::string> operations{};
  std::string digest{};

  // The time that the links take: one `delay` per round, plus the time to send `bytes`; or the time to send `dealt`, if
  // that is longer. Throws std::invalid_argument unless `bits_per_second` is positive.
  [[nodiscard]] double seconds(std::chrono::nanoseconds delay, double bits_per_second) const;
  // A text such as "12 rounds, 3,456 bytes sent, 7,890 bytes dealt".
  [[nodiscard]] std::string in_short() const;
};

template <class T>
struct SimulatedRun : RunCost {
  std::vector<T> results;  // one for each node, the receiver's last

  [[nodiscard]] const T& result(std::size_t party = 0) const { return results.at(party); }
};

namespace detail {

[[nodiscard]] Topology topology_of(std::size_t parties, const SessionOptions& options);
// Throws std::invalid_argument if this number of parties cannot make the randomness as the options say.
[[nodiscard]] Topology checked_topology(std::size_t parties, const SessionOptions& options);
[[nodiscard]] RunCost cost_of(const Ledger& ledger, std::vector<Opened> opened, const Trace* trace = nullptr);
void require_measured(const RunCost& cost, const std::array<std::uint64_t, max_nodes>& sent, std::uint64_t dealt,
                      std::uint64_t rounds);

template <class Task>
struct TaskResult;
template <class T>
struct TaskResult<Task<T>> {
  using type = std::conditional_t<std::is_void_v<T>, Unit, T>;
};

template <class T>
struct Outcome {
  T result;
  std::vector<Opened> opened;
};

template <class Program, class Mine>
inline constexpr bool takes = std::invocable<Program&, Session&, Mine>;

template <class Program, class Mine>
auto started(Program& program, Session& session, Mine mine) {
  if constexpr (takes<Program, Mine>) {
    return program(session, std::move(mine));
  } else {
    return program(session);
  }
}

template <class Program, class Mine>
using ResultOf = typename TaskResult<decltype(started(std::declval<Program&>(), std::declval<Session&>(),
                                                      std::declval<Mine>()))>::type;

template <class Program, class Mine>
Task<Outcome<ResultOf<Program, Mine>>> in_session(Party& party, Program& program, Mine mine, SessionOptions options,
                                                  Trace* trace = nullptr) {
  using T = ResultOf<Program, Mine>;
  Session session(party, options, trace);
  auto task = started(program, session, std::move(mine));
  if constexpr (std::is_same_v<T, Unit>) {
    co_await std::move(task);
    Outcome<T> outcome{Unit{}, session.opened()};
    co_return outcome;
  } else {
    T result = co_await std::move(task);
    Outcome<T> outcome{std::move(result), session.opened()};
    co_return outcome;
  }
}

template <class Program, class Mine>
Task<Unit> kept(Party& party, Program& program, Mine mine, SessionOptions options, Trace* trace,
                std::optional<Outcome<ResultOf<Program, Mine>>>& outcome) {
  auto result = co_await in_session<Program, Mine>(party, program, std::move(mine), options, trace);
  outcome.emplace(std::move(result));
  Unit done;
  co_return done;
}

template <class Program, class Mine>
Task<Outcome<ResultOf<Program, Mine>>> at_role(Party& party, Program& program, Mine mine, SessionOptions options,
                                               std::string label, std::optional<std::uint64_t> insecure_seed,
                                               Trace* trace = nullptr) {
  std::optional<Outcome<ResultOf<Program, Mine>>> outcome;
  std::optional<Outcome<ResultOf<Program, Mine>>> unseen;
  const protocols::StartProgram played = [&](Party& at) {
    return kept<Program, Mine>(at, program, std::move(mine), options, trace, outcome);
  };
  const protocols::StartProgram recorded = [&](Party& at) {
    return kept<Program, Mine>(at, program, Mine{}, options, nullptr, unseen);
  };
  protocols::OwnRandomness own = protocols::draw_own_randomness(party, std::move(label), insecure_seed);
  co_await protocols::run_with_randomness(party, options.preprocessing, std::move(own), played, recorded);
  co_return std::move(*outcome);
}

template <class Program, class Mine>
Task<Unit> planned(Party& party, Program& program, SessionOptions options, std::vector<Opened>& opened, Trace& trace) {
  auto outcome = co_await at_role<Program, Mine>(party, program, Mine{}, options, "plan", 0, &trace);
  opened = std::move(outcome.opened);
  Unit done;
  co_return done;
}

}  // namespace detail

// Simulates the program. Throws the first role's exception.
template <class Mine, class Program>
auto simulate(const std::vector<Mine>& inputs, Program program, SessionOptions options = {},
              protocols::SimulationOptions simulation = {}) {
  using T = detail::ResultOf<Program, Mine>;
  const Topology topology = detail::checked_topology(inputs.size() - (options.has_receiver ? 1 : 0), options);
  std::size_t node = 0;
  std::size_t next = 0;
  auto run = protocols::simulate(
      topology,
      [&](Party& party) {
        const bool brings = !topology.is_helper(static_cast<NodeId>(node++));
        Mine mine = brings && next < inputs.size() ? inputs[next++] : Mine{};
        return detail::at_role<Program, Mine>(party, program, std::move(mine), options, "simulation",
                                              simulation.insecure_seed);
      },
      simulation);
  SimulatedRun<T> result{detail::cost_of(run.ledger, std::move(run.nodes.front().opened)), {}};
  detail::require_measured(result, run.sent, run.dealt, run.rounds);
  result.results.reserve(run.nodes.size());
  for (node = 0; node < run.nodes.size(); ++node) {
    if (!topology.is_helper(static_cast<NodeId>(node))) result.results.push_back(std::move(run.nodes[node].result));
  }
  return result;
}

template <class Program>
auto simulate(std::initializer_list<Matrix> inputs, Program program, SessionOptions options = {}) {
  return simulate(std::vector<Matrix>(inputs), std::move(program), options);
}

// Simulates a program that takes no input, or makes its input itself.
template <class Program>
auto simulate(std::size_t parties, Program program, SessionOptions options = {}) {
  return simulate(std::vector<Matrix>(parties + (options.has_receiver ? 1 : 0)), std::move(program), options);
}

// The costs of the program with this number of parties.
template <class Mine = Matrix, class Program>
RunCost plan(std::size_t parties, Program program, SessionOptions options = {}) {
  const Topology topology = detail::checked_topology(parties, options);
  detail::Trace trace;
  std::vector<Opened> opened;
  const auto watched = [&](Party& party) {
    return detail::planned<Program, Mine>(party, program, options, opened, trace);
  };
  const Ledger ledger = protocols::plan(topology, watched);
  return detail::cost_of(ledger, std::move(opened), &trace);
}

}  // namespace sotto
