// The O3M protocol: the active participant gets the masked contexts Q x of all steps, and nobody gets anything else.
//
// Paper           Cao et al. 2022, "Vertical Federated Linear Contextual Bandits", section 4.2 and
//                 lines 2 to 6 of algorithms 1 and 2. The active participant's use of
//                 masked contexts (lines 7 to 9) needs nobody else.
// Steps           1. The mask generator draws an orthogonal Q (d x d) and delivers the block Q^j of
//                    the columns of participant j to it alone. At the same time each pair of participants agrees on a
//                    seed for zero shares.
//                 2. For each batch of steps participant j masks its contexts, z^j = Q^j x^j, in fixed point, and the
//                    active participant gets the sum of all z^j by secure_sum. With insecure_blocks it gets each z^j,
//                    as doubles, and adds them up.
// Rounds, bytes   1 + batches. A passive participant sends 24 + 8 B K d bytes a batch of B steps;
//                 the mask generator sends 8 d d_j bytes to participant j. Nobody waits for the active participant:
//                 passive ones run ahead as far as the links hold.
// Error           Below M 2^-(f+1) <= 2^-40 in each number of a masked context; none with
//                 insecure_blocks but that of doubles.
// Who sees what   The mask generator: nothing but shapes, and its own contexts if it is a
//                 participant. A passive participant: its block. The active participant: Q^0 and the masked contexts,
//                 from which it can compute norms, distances and inner products of all whole contexts, and more with
//                 some knowledge: docs/o3m.md. This is no multi-party computation, and "infinitely many pre-images" is
//                 no secrecy.
// Deviations      Zero shares, where the paper has participants send z^j to the active one and says
//                 only that they are securely aggregated; 1-based numbers there, 0-based here.
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

// What a role brings, and where the result goes.
class O3mSite {
 public:
  virtual ~O3mSite() = default;

  // At the mask generator: an orthogonal matrix, row-major d x d. Asked once.
  [[nodiscard]] virtual std::vector<double> draw_mask(std::size_t dimension) = 0;
  // At a participant: its contexts of `steps` steps from `first` on, [step][arm][own column]. Valid until the next
  // call.
  [[nodiscard]] virtual std::span<const double> contexts(std::uint64_t first, std::size_t steps) = 0;
  // At the active participant: the masked contexts of whole steps, [step][arm][d], in order.
  virtual void take(std::uint64_t first, std::span<const double> masked) = 0;
};

// The program that every role runs. `secret` is this role's own, fresh for the run. A block whose columns are not
// orthonormal to 1e-9 is ProtocolError at the participant that gets it; contexts of another size than asked for are
// std::invalid_argument.
[[nodiscard]] Task<Unit> masked_contexts(Party& party, const O3mPlan& plan, O3mSite& site, Seed secret);

struct MaskedRun {
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;          // of this role: headers and payloads of rounds, as measured
  std::uint64_t planned_bytes_sent = 0;  // the same by the plan
  std::uint64_t bytes_received = 0;      // by the plan
  double seconds = 0;                    // from the first round to the last
  double seconds_waiting = 0;            // part of it: for peers
};

// Runs the protocol of one role over the links of a mesh, until all roles have ended, so that a run is complete for all
// or for none. `secret` is fresh, or derived from an insecure seed and this role's number. Same errors as
// net::run_node, those of masked_contexts, and what the site throws. `mesh` is of plan.topology().
[[nodiscard]] MaskedRun run_masked(net::Mesh& mesh, const O3mPlan& plan, O3mSite& site, Seed secret,
                                   const net::DriverOptions& options);

}  // namespace sotto::apps::o3m
