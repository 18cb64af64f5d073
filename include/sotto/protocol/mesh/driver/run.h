// Runs a program over the links of a mesh. The caller must first start the program's root task on `rounds`. A run is
// complete for all roles or for none.
//
// If anything fails at any role, the driver notifies every peer, closes all links, makes `rounds` forget all waiting
// coroutines, and throws. Errors, in addition to exceptions of the program:
//   NetworkError   a peer was lost, or silent past the deadline
//   ProtocolError  a peer sent what the round does not allow
//   RemoteFailure  a peer ended the run; the exit code is that of the root cause
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

// `chunks` is null except at the last party of a run with a dealer.
[[nodiscard]] NodeStatistics run_node(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options);

// The dealer deals ahead until the last party's receive buffer is full, and then blocks.
[[nodiscard]] DealerStatistics run_dealer(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh,
                                          const DriverOptions& options);

void send_seeds(Mesh& mesh, std::span<const Seed> seeds_by_node, const DriverOptions& options);
[[nodiscard]] Seed receive_seed(Mesh& mesh, const DriverOptions& options);

// Ends the run at all peers with `error`, and throws `error`, or the root cause that a peer has sent.
[[noreturn]] void fail_run(const std::exception_ptr& error, Mesh& mesh);

// Runs a program as one role of a mesh, once the mesh is set up.
//
//     auto run = net::run_program(mesh, [&](Party& party) { return inner_product(party, mine); });
//     run.result                           nothing at the dealer
//     run.ledger                           rounds and bytes as planned
//     run.node, run.dealer                 as measured on the links
//
// With a dealer, the dealer draws a seed of 16 bytes for each node, and no other node sees this seed. Seeds are
// expanded under the mesh's session and options.epoch, so no two runs share a mask. Without a dealer, the program must
// not request any preprocessing. Throws the errors of run_node and run_dealer, and ResourceError if the system gives no
// randomness. Everything that `program` captures must outlive the call.

template <class Result>
struct ProgramRun {
  std::optional<Result> result;
  Ledger ledger;
  NodeStatistics node;
  DealerStatistics dealer;
};

namespace detail {

template <class Body>
auto guarded(Mesh& mesh, const Body& body) {
  try {
    return body();
  } catch (...) {
    fail_run(std::current_exception(), mesh);
  }
}

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
