// All roles of a measurement as threads of this process, joined by TCP on loopback, and the dealer ahead of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sotto/core/async/task.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/party/party.h"
#include "sotto/net/mesh/driver/options.h"

namespace sotto::apps {

// The program of one role: called once, on that role's thread. What the task refers to must outlive the run.
using RoleProgram = std::function<Task<Unit>(Party& party, std::size_t role)>;

struct RolesRun {
  std::vector<net::NodeStatistics> nodes;  // by node
  net::DealerStatistics dealer;
};

// Runs program(party, role) at all nodes, role being the node's number, and at the dealer, whose role is
// topology.nodes(). `planned_dealt_bytes` is what a planner counts for the same program. Throws what the role threw
// that failed first.
[[nodiscard]] RolesRun run_roles_dealt_ahead(const Topology& topology, const RoleProgram& program,
                                             std::uint64_t planned_dealt_bytes, const std::atomic<bool>* interrupted);

}  // namespace sotto::apps
