// Runs a program over the links of a mesh.
//
// Before the call, the caller puts the program's root task on `rounds` (Task::start_on). A driver gathers, sends,
// receives, accepts and scatters until the program has ended. The driver checks each header before it reads the
// payload. When its program has ended, the driver waits until all peers have finished their programs: a run is complete
// for all roles or for none.
//
// If anything fails at this role or at a peer, the driver notifies every peer, closes all links, makes `rounds` forget
// all waiting coroutines, and throws. After an exception, the caller destroys the root task. In addition to the
// exceptions of the program, the errors are:
//   NetworkError   a peer was lost, or silent past the deadline
//   ProtocolError  a peer sent what the round does not allow
//   RemoteFailure  a peer ended the run and said why: the exit code is that of the root cause
//   ResourceError  deal_ahead needs more than half of the memory of this machine
//   Interrupted    the caller's flag was raised
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/preprocessing/program_role.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::net {

// Runs a node. `chunks` is set at the last party of a run with a dealer, and nullptr at all other nodes.
[[nodiscard]] NodeStatistics run_node(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options);

// Runs the dealer, which deals ahead until the last party's receive buffer is full, and then blocks.
[[nodiscard]] DealerStatistics run_dealer(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh,
                                          const DriverOptions& options);

// Before the run: the dealer sends each node its seed, and each node takes its seed. The errors are those of run_node.
void send_seeds(Mesh& mesh, std::span<const Seed> seeds_by_node, const DriverOptions& options);
[[nodiscard]] Seed receive_seed(Mesh& mesh, const DriverOptions& options);

// To be called if an error occurs between the handshake and the run. Ends the run at all peers with `error`, and then
// throws `error`. If a peer has sent a root cause, throws the root cause instead.
[[noreturn]] void fail_run(const std::exception_ptr& error, Mesh& mesh);

// Runs a program as one role of a mesh, from the seed of the role to the result of the program.
//
//     auto run = net::run_program(mesh, [&](Party& party) { return inner_product(party, mine); });
//     run.result      what the program returned; nothing at the dealer
//     run.ledger      rounds and bytes as planned;  run.node, run.dealer  as measured on the links
//
// Every role calls run_program with the same program, once its mesh is set up. In a run with a dealer, the dealer draws
// a seed of 16 bytes for each node and sends the seed to that node. No other node sees the seed. Seeds are expanded
// under the mesh's session and options.epoch, so that no two runs share a mask. After the seeds are sent, the program
// runs in rounds until it has ended at all roles. In a run without a dealer, the program must not request any
// preprocessing.
//
// Errors: the errors of run_node and run_dealer, and ResourceError if the system gives no randomness. run_program
// notifies every peer before it throws. Everything that `program` captures must outlive the call.

template <class Result>
struct ProgramRun {
  std::optional<Result> result;
  Ledger ledger;
  NodeStatistics node;      // statistics of a node; empty at the dealer
  DealerStatistics dealer;  // statistics of the dealer; empty at a node
};

namespace detail {

// Runs `body`. An exception of `body` ends the run at all peers.
template <class Body>
auto guarded(Mesh& mesh, const Body& body) {
  try {
    return body();
  } catch (...) {
    fail_run(std::current_exception(), mesh);
  }
}

// With `insecure_seed`, anybody can repeat the dealer's seeds.
[[nodiscard]] protocols::ProgramRole seeded_role(Mesh& mesh, const DriverOptions& options,
                                                 std::optional<std::uint64_t> insecure_seed);
void drive(protocols::ProgramRole& role, Mesh& mesh, const DriverOptions& options, NodeStatistics& node,
           DealerStatistics& dealer);

}  // namespace detail

template <class Program>
auto run_program(Mesh& mesh, const Program& program, const DriverOptions& options = {},
                 std::optional<std::uint64_t> insecure_seed = {}) {
  protocols::ProgramRole role = detail::seeded_role(mesh, options, insecure_seed);
  auto task = detail::guarded(mesh, [&] { return program(role.party()); });
  task.start_on(role.rounds());
  ProgramRun<protocols::detail::ResultOf<const Program>> run{{}, Ledger(mesh.topology()), {}, {}};
  detail::drive(role, mesh, options, run.node, run.dealer);
  if (mesh.self() != dealer_id) run.result.emplace(task.take());
  run.ledger = role.rounds().ledger();
  return run;
}

}  // namespace sotto::net
