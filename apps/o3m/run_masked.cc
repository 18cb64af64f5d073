#include "sotto/apps/o3m/run_masked.h"

#include <stdexcept>
#include <utility>

#include "sotto/net/mesh/run_program.h"

namespace sotto::apps {
namespace {

std::uint64_t received_by(NodeId self, const Ledger& ledger) {
  const Topology& topology = ledger.topology();
  if (self != 0) return 0;
  std::uint64_t bytes = 0;
  const Cost contexts = ledger.of("contexts");
  for (NodeId node = 1; node < topology.parties(); ++node) bytes += contexts.sent[node];
  return bytes;
}

}  // namespace

MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                     const net::DriverOptions& options) {
  if (mesh.topology() != plan.topology()) throw std::invalid_argument("the mesh of another plan");
  const NodeId self = mesh.self();
  const auto played = net::run_program(
      mesh, [&](Party& party) { return masked_contexts(party, plan, site, std::move(secret)); }, options);
  MaskedRun run;
  run.rounds = played.node.rounds;
  run.bytes_sent = played.node.total_bytes_sent();
  run.planned_bytes_sent = played.ledger.total().sent[self];
  run.bytes_received = received_by(self, played.ledger);
  run.seconds = played.node.seconds;
  run.seconds_waiting = played.node.seconds_waiting_for_peers;
  return run;
}

}  // namespace sotto::apps
