// The O3M protocol: the active participant gets the masked contexts Q x of all steps, and nobody gets anything else.
//
// Paper           Cao et al. 2022, "Vertical Federated Linear Contextual Bandits", section 4.2 and lines 2 to 6 of
//                 algorithms 1 and 2. The active participant uses the masked contexts (lines 7 to 9) without the help
//                 of any other role.
// Steps           1. The mask generator draws an orthogonal Q (d x d). The mask generator delivers the block Q^j, the
//                    columns of participant j, only to participant j. At the same time each pair of participants agrees
//                    on a
//                    seed for zero shares.
//                 2. For each batch of steps participant j masks its contexts, z^j = Q^j x^j, in fixed point, and the
//                    active participant gets the sum of all z^j by secure_sum. With insecure_blocks the active
//                    participant gets each z^j as doubles, and adds up all z^j.
// Rounds, bytes   1 + batches. A passive participant sends 24 + 8 B K d bytes for a batch of B steps;
//                 the mask generator sends 8 d d_j bytes to participant j. No role waits for the active participant:
//                 passive participants run ahead as far as the buffers of the links allow.
// Error           Below M 2^-(f+1) <= 2^-40 in each number of a masked context. With insecure_blocks the only
//                 error is the rounding of doubles.
// Views           The mask generator sees only shapes, and its own contexts if it is a participant. A passive
//                 participant sees its block Q^j. The active participant sees Q^0 and the masked contexts. The active
//                 participant can compute norms, distances and inner products of all whole contexts, and more if it
//                 knows some contexts: docs/explain/o3m.md. O3M is no multi-party computation, and "infinitely many
//                 pre-images" do not make a masked context secret.
// Deviations      Zero shares: in the paper participants send z^j to the active participant, and the paper says only
//                 that the z^j are securely aggregated. The paper's indices begin at 1, and the indices of this code
//                 begin at 0.
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

// The protocol's interface to one role. An O3mSite supplies the role's data; at the active participant, it also
// receives the result.
class O3mSite {
 public:
  virtual ~O3mSite() = default;

  // At the mask generator: an orthogonal matrix, row-major d x d. Called once.
  [[nodiscard]] virtual std::vector<double> draw_mask(std::size_t dimension) = 0;
  // At a participant: its contexts of `steps` steps, beginning with step `first`, as [step][arm][own column]. The
  // returned span stays valid until the next call of contexts().
  [[nodiscard]] virtual std::span<const double> contexts(std::uint64_t first, std::size_t steps) = 0;
  // At the active participant: receives the masked contexts of whole steps, as [step][arm][d], in the order of the
  // steps.
  virtual void take(std::uint64_t first, std::span<const double> masked) = 0;
};

// The program that every role runs. `secret` belongs to this role only and is fresh for the run. Throws ProtocolError
// at the participant that gets a block whose columns are not orthonormal to 1e-9. Throws std::invalid_argument for
// contexts of a wrong size.
[[nodiscard]] Task<Unit> masked_contexts(Party& party, const O3mPlan& plan, O3mSite& site, Seed secret);

struct MaskedRun {
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;          // measured at this role: headers and payloads of rounds
  std::uint64_t planned_bytes_sent = 0;  // bytes that this role sends according to the plan
  std::uint64_t bytes_received = 0;      // bytes that this role receives according to the plan
  double seconds = 0;                    // from the first round to the last
  double seconds_waiting = 0;            // the part of `seconds` in which this role waited for peers
};

// Runs the protocol of one role over the links of a mesh until all roles have ended, so that a run is complete for all
// roles or for none. `secret` is fresh, or derived from an insecure seed and this role's number. `mesh` must have
// plan.topology(). Throws the errors of net::run_node and of masked_contexts, and the errors that `site` throws.
[[nodiscard]] MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                                   const net::DriverOptions& options);

}  // namespace sotto::apps::o3m
