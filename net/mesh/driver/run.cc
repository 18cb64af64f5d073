#include "sotto/protocol/mesh/driver/run.h"

#include <optional>
#include <stdexcept>

#include "net/mesh/driver/play.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::net {

NodeStatistics run_node(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options) {
  std::optional<NodePlay> node;
  return ends_at_all_peers(mesh, &rounds, [&] {
    node.emplace(mesh, options, chunks != nullptr);
    node->set_up();
    node->play(rounds, chunks, epoch_digest(mesh.session(), options.epoch));
    const NodeStatistics statistics = node->statistics();
    node->finish();
    return statistics;
  });
}

DealerStatistics run_dealer(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh, const DriverOptions& options) {
  std::optional<DealerPlay> dealer;
  return ends_at_all_peers(mesh, &rounds, [&] {
    dealer.emplace(mesh, options);
    dealer->deal(rounds, chunks);
    const DealerStatistics statistics = dealer->statistics();
    dealer->finish();
    return statistics;
  });
}

void send_seeds(Mesh& mesh, std::span<const Seed> seeds_by_node, const DriverOptions& options) {
  if (seeds_by_node.size() != mesh.topology().nodes()) throw std::invalid_argument("one seed a node is due");
  ends_at_all_peers(mesh, nullptr, [&] {
    Watch watch(mesh, options);
    send_seeds_to(mesh, watch, seeds_by_node);
  });
}

Seed receive_seed(Mesh& mesh, const DriverOptions& options) {
  return ends_at_all_peers(mesh, nullptr, [&] {
    Watch watch(mesh, options);
    return seed_from_dealer(mesh, watch);
  });
}

void fail_run(const std::exception_ptr& error, Mesh& mesh) {
  ends_at_all_peers(mesh, nullptr, [&] { std::rethrow_exception(error); });
  throw std::logic_error("fail_run returned");
}

}  // namespace sotto::net

namespace sotto::net::detail {

protocols::ProgramRole seeded_role(Mesh& mesh, const DriverOptions& options,
                                   std::optional<std::uint64_t> insecure_seed) {
  const Topology& topology = mesh.topology();
  if (!topology.has_dealer()) return {topology, mesh.self()};
  const std::string label = protocols::expansion_label(text_of(mesh.session()), options.epoch);
  if (mesh.self() != dealer_id) return {topology, mesh.self(), receive_seed(mesh, options), label};
  const protocols::SessionKeys keys =
      guarded(mesh, [&] { return protocols::draw_session_keys(topology, insecure_seed); });
  send_seeds(mesh, keys.nodes, options);
  return {topology, keys, label};
}

void drive(protocols::ProgramRole& role, Mesh& mesh, const DriverOptions& options, NodeStatistics& node,
           DealerStatistics& dealer) {
  if (mesh.self() == dealer_id) {
    dealer = run_dealer(role.rounds(), *role.writer(), mesh, options);
  } else {
    const bool takes_chunks = mesh.self() == mesh.topology().last_party();
    node = run_node(role.rounds(), mesh, takes_chunks ? role.reader() : nullptr, options);
  }
}

}  // namespace sotto::net::detail
