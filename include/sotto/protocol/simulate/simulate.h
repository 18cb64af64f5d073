// simulate: runs a program with all its parties on one thread over in-memory frames, in lockstep. plan: runs a program
// on shapes only.
//
//     auto run = simulate(Topology(3), [](Party& party) -> Task<Public> { ... });
//     run.nodes[0]    party 0's result; next, the results of the other parties and of the nodes outside
//     run.dealer      the dealer's result
//     run.ledger      rounds and bytes as planned;  run.sent, run.dealt  as measured on the frames
//
// Every role runs the same program, exactly as in processes linked by TCP. A program that is a lambda must not capture:
// its coroutine frame would outlive captures in a temporary. Pass the inputs of a program to a coroutine function, or
// keep the callable alive during the call, as simulate does with its argument.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::protocols {

struct SimulationOptions {
  // With insecure_seed, anybody can repeat the seeds. Without insecure_seed, the seeds come from the operating system.
  std::optional<std::uint64_t> insecure_seed;
  // Called with every frame on its way (header included), for transcripts and fault tests. The function may change the
  // frame.
  std::function<void(NodeId from, NodeId to, std::uint64_t round, Bytes& frame)> tap;
  // Called with every chunk of the dealer. The function may change the chunk.
  std::function<void(std::uint64_t number, Bytes& chunk)> chunk_tap;
  // Called when a role begins to compute and when it ends, to measure one role only. `role` is empty for the dealer.
  // The time in which frames are carried between roles is not measured for any role.
  std::function<void(std::optional<NodeId> role, std::uint64_t round, bool begins)> watch;
};

// All roles of a run and the frames between them.
class Simulator {
 public:
  Simulator(Topology topology, SimulationOptions options);
  [[nodiscard]] ProgramRole& node(NodeId node) { return nodes_[node]; }
  [[nodiscard]] ProgramRole& dealer() { return dealer_; }

  // Steps all roles until their programs end. Throws the error of the first failing role, or ProtocolError if some
  // roles end before others.
  void run();

  [[nodiscard]] const std::array<std::uint64_t, max_nodes>& sent() const { return sent_; }
  [[nodiscard]] std::uint64_t dealt() const { return dealt_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  Simulator(const Topology& topology, SimulationOptions&& options, const SessionKeys& keys);
  // Runs `work` as the role `role`.
  template <class Work>
  void as(std::optional<NodeId> role, Work work);
  bool gather_all();
  void deliver(NodeId from, NodeId to);
  void deal_chunk(std::uint64_t number);

  Topology topology_;
  SimulationOptions options_;
  std::vector<ProgramRole> nodes_;
  ProgramRole dealer_;
  Bytes chunk_;
  Bytes frame_;  // the frame on its way
  std::array<std::uint64_t, max_nodes> sent_{};
  std::uint64_t dealt_ = 0;
  std::uint64_t rounds_ = 0;
};

template <class T>
struct Simulation {
  std::vector<T> nodes;
  std::optional<T> dealer;
  Ledger ledger;
  std::array<std::uint64_t, max_nodes> sent{};
  std::uint64_t dealt = 0;
  std::uint64_t rounds = 0;
};

// `program` is called once for each role and returns a Task. The caller must wrap a program that returns void, so that
// the program returns a value.
template <class Program>
Simulation<detail::ResultOf<Program>> simulate(Topology topology, Program program, SimulationOptions options = {}) {
  using T = detail::ResultOf<Program>;
  Simulator simulator(topology, std::move(options));
  std::vector<Task<T>> tasks;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    tasks.push_back(program(simulator.node(node).party()));
    tasks.back().start_on(simulator.node(node).rounds());
  }
  Task<T> dealer = program(simulator.dealer().party());
  dealer.start_on(simulator.dealer().rounds());
  simulator.run();

  Simulation<T> result{
      {}, dealer.take(), simulator.node(0).rounds().ledger(), simulator.sent(), simulator.dealt(), simulator.rounds()};
  for (Task<T>& task : tasks) result.nodes.push_back(task.take());
  return result;
}

// The costs of a program: rounds, bytes and dealt bytes, and its requests of preprocessing.
struct PlannedRun {
  Ledger ledger;
  RequestCounts requests;

  // The requests of one kind in a phase of the ledger.
  [[nodiscard]] RequestCount of(std::string_view phase, Request kind) const { return requests.of(ledger, phase, kind); }
};

// Runs a program on shapes only.
template <class Program>
PlannedRun plan_requests(Topology topology, Program program) {
  Rounds rounds(topology, std::nullopt);
  Planned planned(rounds.ledger());
  Party party(rounds, planned);
  auto task = program(party);
  task.start_on(rounds);
  while (rounds.gather()) rounds.scatter();
  return {rounds.ledger(), planned.requests()};
}

// The exact rounds, bytes and dealt bytes of a program before it runs.
template <class Program>
Ledger plan(Topology topology, Program program) {
  return plan_requests(topology, program).ledger;
}

}  // namespace sotto::protocols
