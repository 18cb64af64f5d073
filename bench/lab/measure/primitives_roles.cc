#include "sotto/bench/lab/measure/primitives_roles.h"

#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/driver/run.h"
#include "sotto/net/mesh/mesh.h"
#include "sotto/protocols/preprocessing/correlations.h"
#include "sotto/protocols/preprocessing/session_keys.h"

namespace sotto::apps {
namespace {

// Dealing for a large case takes its time, and nobody hears from the dealer meanwhile.
constexpr std::chrono::minutes patience{15};
constexpr const char* session_name = "primitives";

// By role, dealer_id for the dealer. Who listens is bound before anybody connects.
std::map<NodeId, net::MeshConfig> loopback_meshes(const Topology& topology) {
  std::map<NodeId, net::MeshConfig> configs;
  std::map<NodeId, net::Address> addresses;
  std::vector<NodeId> roles{net::dealer_id};
  for (NodeId node = 0; node < topology.nodes(); ++node) roles.push_back(node);
  for (const NodeId role : roles) {
    net::MeshConfig config{topology, role, net::SessionId{}, "measure = primitives\n", ""};
    if (role == net::dealer_id || topology.is_party(role)) {
      config.listener.emplace(net::Address{"127.0.0.1", 0});
      addresses[role] = config.listener->address();
    }
    configs.emplace(role, std::move(config));
  }
  for (auto& [role, config] : configs) config.addresses = addresses;
  return configs;
}

void run_dealer_role(net::Mesh& mesh, const RoleProgram& program, const net::DriverOptions& options, RolesRun& run) {
  const protocols::SessionKeys keys = protocols::draw_session_keys(mesh.topology(), std::nullopt);
  net::send_seeds(mesh, keys.nodes, options);
  const std::string label = protocols::expansion_label(session_name, options.epoch);
  std::vector<Seed> seeds;
  for (const Seed& seed : keys.nodes) seeds.push_back(seed.derive(label));
  Rounds rounds(mesh.topology(), std::nullopt);
  protocols::DealerCorrelations correlations(rounds.ledger(), seeds, keys.coins.derive(label));
  Party party(rounds, correlations);
  Task<Unit> task = program(party, mesh.topology().nodes());
  task.start_on(rounds);
  run.dealer = net::run_dealer(rounds, correlations, mesh, options);
}

void run_node_role(net::Mesh& mesh, const RoleProgram& program, const net::DriverOptions& options, RolesRun& run) {
  const NodeId self = mesh.self();
  const Topology& topology = mesh.topology();
  const Seed seed = net::receive_seed(mesh, options).derive(protocols::expansion_label(session_name, options.epoch));
  Rounds rounds(topology, self);
  protocols::NodeCorrelations correlations(rounds.ledger(), self, seed);
  Party party(rounds, correlations);
  Task<Unit> task = program(party, self);
  task.start_on(rounds);
  const bool last = self == topology.last_party();
  run.nodes[self] = net::run_node(rounds, mesh, last ? &correlations : nullptr, options);
}

// The first error, unless it only reports another role's.
class FirstError {
 public:
  void keep(const std::exception_ptr& error, bool of_another_role) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_ && (of_another_role || !of_another_role_)) return;
    error_ = error;
    of_another_role_ = of_another_role;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  bool of_another_role_ = false;
};

}  // namespace

RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program, std::uint64_t planned_dealt_bytes,
                               const std::atomic<bool>* interrupted) {
  RolesRun run;
  run.nodes.resize(topology.nodes());
  FirstError first;
  const auto body = [&](net::MeshConfig& config) {
    try {
      net::DriverOptions options;
      options.round_deadline = patience;
      options.interrupted = interrupted;
      const bool dealer = config.self == net::dealer_id;
      if (config.self == topology.last_party()) {
        options.deal_ahead = true;
        options.planned_dealt_bytes = planned_dealt_bytes;
      }
      config.interrupted = interrupted;
      net::Mesh mesh = net::set_up_mesh(std::move(config));
      if (dealer) {
        run_dealer_role(mesh, program, options, run);
      } else {
        run_node_role(mesh, program, options, run);
      }
    } catch (const net::RemoteFailure&) {
      first.keep(std::current_exception(), true);
    } catch (...) {
      first.keep(std::current_exception(), false);
    }
  };
  std::map<NodeId, net::MeshConfig> configs = loopback_meshes(topology);
  {
    std::vector<std::jthread> threads;
    threads.reserve(configs.size());
    for (auto& entry : configs) {
      threads.emplace_back([&body, config = &entry.second] { body(*config); });
    }
  }
  first.rethrow();
  return run;
}

}  // namespace sotto::apps
