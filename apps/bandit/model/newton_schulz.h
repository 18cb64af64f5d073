// An iteration that makes W a better inverse of A, for all arms alike: W <- 2W - W A W.
//
// With M = A^(1/2) W A^(1/2), an iteration replaces E = I - M by E^2, up to rounding. Both triangles of W A W are
// computed. If only the upper triangle of W P were computed and mirrored, a direction with many data would get rounding
// errors of a direction with few data. In the direction with many data W is only 1 / pulls.
//
// Rounds          2: P = A W and, in the same round, W masked again; then the new W.
// Bytes           d^2 words per matrix for P, and d (d+1) for W, to each other party. A value that is "masked again"
//                 has no carry term afterwards. Without a carry term, the value needs no dealt bit string for each
//                 product that it enters.
// Views           Openings are uniform (mask_trunc.h, mask.h).
// Ranges          0 < M < 2; inverse_widths() gives the widths (parameters.h).
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

// The result of the first round.
struct InverseResidual {
  Masked P;      // A W at residual_bits, whole matrices
  Masked plain;  // W without a carry term, triangles
};
// A as whole matrices, W as triangles.
[[nodiscard]] Task<InverseResidual> inverse_residual(Party& party, const SymmetricLanes& lanes, const Masked& A,
                                                     const Masked& W, unsigned residual_bits);

// The second round: 2W - (W P + P' W) / 2, as triangles at `bits`.
[[nodiscard]] Task<Masked> iterated(Party& party, const SymmetricLanes& lanes, const Masked& W,
                                    const InverseResidual& residual, unsigned bits);

}  // namespace sotto::apps::bandit
