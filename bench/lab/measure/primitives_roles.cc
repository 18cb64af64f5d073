#include "sotto/bench/lab/measure/primitives_roles.h"

#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/run_program.h"

namespace sotto::apps {
namespace {

// Dealing for a large case takes its time, and nobody hears from the dealer meanwhile.
constexpr std::chrono::minutes patience{15};

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
      const std::size_t role = dealer ? topology.nodes() : mesh.self();
      auto ran = net::run_program(
          mesh, [&](Party& party) { return program(party, role); }, options);
      if (dealer) {
        run.dealer = ran.dealer;
      } else {
        run.nodes[role] = ran.node;
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
