// simulate: runs a program with all its roles on one thread, over frames in memory. plan: runs a program on shapes
// only.
//
//     auto run = simulate(Topology(3), [](Party& party) -> Task<Public> { ... });
//     run.nodes[0]         party 0's result; the results of all other nodes follow
//     run.ledger           rounds and bytes as planned
//     run.sent, run.dealt  as measured on the frames
//
// A coroutine lambda must not capture, because the lambda and its captures may be destroyed before the coroutine ends.
// Pass inputs as arguments of a coroutine function instead.
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
  // With insecure_seed, anybody can compute the seeds.
  std::optional<std::uint64_t> insecure_seed;
  // A function that is called with every frame, header included, and may change the frame.
  std::function<void(NodeId from, NodeId to, std::uint64_t round, Bytes& frame)> tap;
  // A function that is called with every chunk of the dealer, and may change the chunk.
  std::function<void(std::uint64_t number, Bytes& chunk)> chunk_tap;
  // Called when a role begins to compute, and when the role stops. `role` is empty for the dealer.
  std::function<void(std::optional<NodeId> role, std::uint64_t round, bool begins)> watch;
};

class Simulator {
 public:
  Simulator(Topology topology, SimulationOptions options);
  [[nodiscard]] ProgramRole& node(NodeId node) { return nodes_[node]; }
  [[nodiscard]] ProgramRole& dealer() { return dealer_; }

  // Throws the error of the first failing role, or ProtocolError if some roles end before others.
  void run();

  [[nodiscard]] const std::array<std::uint64_t, max_nodes>& sent() const { return sent_; }
  [[nodiscard]] std::uint64_t dealt() const { return dealt_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  Simulator(const Topology& topology, SimulationOptions&& options, const SessionKeys& keys);
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
  Bytes frame_;
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

// simulate() calls `program` once for each role. `program` returns a Task of a value that is not void.
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

struct PlannedRun {
  Ledger ledger;
  RequestCounts requests;

  [[nodiscard]] RequestCount of(std::string_view phase, Request kind) const { return requests.of(ledger, phase, kind); }
};

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

// The exact rounds, bytes and dealt bytes of a program.
template <class Program>
Ledger plan(Topology topology, Program program) {
  return plan_requests(topology, program).ledger;
}

}  // namespace sotto::protocols
