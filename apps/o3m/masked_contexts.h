// The O3M protocol. For every context x, the active participant receives the masked context Q x, where Q is the mask.
// Nobody receives anything else.
//
// Paper           Cao et al. 2022, "Vertical Federated Linear Contextual Bandits", section 4.2 and lines 2 to 6 of
//                 algorithms 1 and 2. The active participant computes lines 7 to 9 on its own.
// Steps           1. The mask generator draws an orthogonal Q (d x d). It sends the block Q^j, the columns of
//                    participant j, only to participant j. Each pair of participants agrees on a seed for zero shares.
//                 2. For each batch of steps, participant j masks its contexts in fixed point: z^j = Q^j x^j. The
//                    active participant receives the sum of all z^j by secure_sum. With insecure_blocks, the active
//                    participant receives each z^j as doubles.
// Rounds, bytes   1 round, and one more per batch. For K arms and a batch of B steps, a passive participant sends
//                 24 + 8 B K d bytes. The mask generator sends 8 d d_j bytes to participant j, which has d_j columns.
//                 No role waits for the active participant.
// Error           For M participants and f fraction bits, the error of each number of a masked context is below
//                 M 2^-(f+1) <= 2^-40. With insecure_blocks, the only error is the rounding of doubles.
// Views           The mask generator sees only shapes, and its own contexts if it is a participant. A passive
//                 participant sees its block Q^j. The active participant sees Q^0 and the masked contexts. The active
//                 participant can compute norms, distances and inner products of all whole contexts, and more if it
//                 knows some contexts (docs/explain/o3m.md). O3M is no multi-party computation.
// Deviations      The paper says only that the z^j are securely aggregated. Here, participants add zero shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/o3m/plan.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::o3m {

class O3mSite {
 public:
  virtual ~O3mSite() = default;

  // At the mask generator: returns an orthogonal matrix, row-major d x d. Called once.
  [[nodiscard]] virtual std::vector<double> draw_mask(std::size_t dimension) = 0;
  // At a participant: returns its contexts from step `first` on, as [step][arm][own column]. The returned span stays
  // valid until the next call of contexts().
  [[nodiscard]] virtual std::span<const double> contexts(std::uint64_t first, std::size_t steps) = 0;
  // At the active participant: receives the masked contexts of whole steps, as [step][arm][d], in the order of the
  // steps.
  virtual void take(std::uint64_t first, std::span<const double> masked) = 0;
};

// `secret` belongs to this role only and is fresh for the run. A participant throws ProtocolError if the columns of its
// block are not orthonormal to 1e-9. Throws std::invalid_argument for contexts of a wrong size.
[[nodiscard]] Task<Unit> masked_contexts(Party& party, const O3mPlan& plan, O3mSite& site, Seed secret);

struct MaskedRun {
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t planned_bytes_sent = 0;  // in the plan
  std::uint64_t bytes_received = 0;      // in the plan
  double seconds = 0;
  double seconds_waiting = 0;
};

// Runs one role until all roles have ended, so a run is complete for all roles or for none. `secret` is fresh, or
// derived from an insecure seed and this role's number. The topology of `mesh` must be plan.topology(). Throws the
// errors of net::run_node and of masked_contexts, and the errors that `site` throws.
[[nodiscard]] MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                                   const net::DriverOptions& options);

}  // namespace sotto::apps::o3m
