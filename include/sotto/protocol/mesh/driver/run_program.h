// Runs a program as one role of a mesh, from its seed to its result.
//
//     auto run = net::run_program(mesh, [&](Party& party) { return inner_product(party, mine); });
//     run.result      what the program returned; nothing at the dealer
//     run.ledger      rounds and bytes as planned;  run.node, run.dealer  as measured on the links
//
// Every role calls it with the same program, once its mesh is set up. Where there is a dealer, the dealer draws a seed
// for each node and sends it: 16 bytes a node, which no other node sees. Seeds are expanded under the mesh's session
// and options.epoch, so that no two runs share a mask. Then the program runs in rounds
// (include/sotto/protocol/mesh/driver/run.h) until it has ended at all roles. Where there is no dealer, the program
// makes no request of preprocessing.
//
// Errors: those of include/sotto/protocol/mesh/driver/run.h, and ResourceError if the system gives no randomness. Every
// peer has been told by then. What `program` captures must outlive the call.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/preprocessing/program_role.h"

namespace sotto::net {

template <class Result>
struct ProgramRun {
  std::optional<Result> result;
  Ledger ledger;
  NodeStatistics node;      // at a node
  DealerStatistics dealer;  // at the dealer
};

namespace detail {

// What `body` throws ends the run at all peers.
template <class Body>
auto guarded(Mesh& mesh, const Body& body) {
  try {
    return body();
  } catch (...) {
    fail_run(std::current_exception(), mesh);
  }
}

// `insecure_seed`: at the dealer, seeds that anybody can repeat.
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
