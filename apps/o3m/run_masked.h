// Runs the O3M protocol of one role over the links of a mesh.
#pragma once

#include <cstdint>

#include "sotto/apps/o3m/masked_contexts.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/core/party/ledger.h"
#include "sotto/core/random/seed.h"
#include "sotto/net/mesh/driver/options.h"
#include "sotto/net/mesh/mesh.h"

namespace sotto::apps {

struct MaskedRun {
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;          // of this role: headers and payloads of rounds, as measured
  std::uint64_t planned_bytes_sent = 0;  // the same by the plan
  std::uint64_t bytes_received = 0;      // by the plan
  double seconds = 0;                    // from the first round to the last
  double seconds_waiting = 0;            // part of it: for peers
};

// Until all roles have ended, so that a run is complete for all or for none. `secret` is fresh, or derived from an
// insecure seed and this role's number. Same errors as net::run_node, those of masked_contexts, and what the site
// throws. `mesh` is of plan.topology().
[[nodiscard]] MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                                   const net::DriverOptions& options);

}  // namespace sotto::apps
