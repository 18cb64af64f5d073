// Runs a program over the links of a mesh.
//
// The caller has put the program's root task on `rounds` (Task::start_on). A driver gathers, sends, receives, checks
// each header before it reads a payload, accepts and scatters until the program has ended, and waits until all peers
// have finished theirs: a run is complete for all or for none.
//
// When anything fails here or at a peer, it tells every peer, closes all links, makes `rounds` forget what waits and
// throws; the caller then destroys the root task. Errors:
//   NetworkError   a peer was lost, or silent past the deadline
//   ProtocolError  a peer sent what the round does not allow
//   RemoteFailure  a peer ended the run and said why: the exit code is that of the root cause
//   ResourceError  deal_ahead needs more than half of the memory of this machine
//   Interrupted    the caller's flag was raised
//   and whatever the program throws.
#pragma once

#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::net {

// A node. `chunks` is the last party's where there is a dealer, and nullptr at all others.
[[nodiscard]] NodeStatistics run_node(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options);

// The dealer. It runs ahead until the last party's receive buffer is full, and blocks there.
[[nodiscard]] DealerStatistics run_dealer(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh,
                                          const DriverOptions& options);

// Before the run: the dealer sends each node its seed, each node takes it. Same errors.
void send_seeds(Mesh& mesh, std::span<const Seed> seeds_by_node, const DriverOptions& options);
[[nodiscard]] Seed receive_seed(Mesh& mesh, const DriverOptions& options);

// For what a role does between the handshake and the run: ends the run at all peers with `error`, then throws it, or
// the root cause where a peer has told it.
[[noreturn]] void fail_run(const std::exception_ptr& error, Mesh& mesh);

}  // namespace sotto::net
