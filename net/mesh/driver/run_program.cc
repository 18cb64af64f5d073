#include "sotto/protocol/mesh/driver/run_program.h"

#include "sotto/protocol/mesh/handshake/session.h"

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
