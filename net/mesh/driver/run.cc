#include "sotto/protocol/mesh/driver/run.h"

#include <optional>
#include <stdexcept>

#include "net/mesh/driver/play.h"

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
