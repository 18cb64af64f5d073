// An iteration that makes W a better inverse of A, for all arms alike: W <- 2W - W A W.
//
// With M = A^(1/2) W A^(1/2), E = I - M goes to E^2, up to rounding. Both halves of W A W are taken: the upper triangle
// of W P alone, mirrored, would round a direction with few data onto one with many, where W is 1 / pulls.
//
// Rounds          2: P = A W, with W masked again beside it; then W.
// Bytes           d^2 words a matrix for P, and d (d+1) for W, to each other party. What is "masked again" has no carry
//                 term afterwards, which saves a dealt bit string for each product that it enters.
// Who sees what   Openings are uniform (mask_trunc.h, mask.h).
// Ranges          0 < M < 2; widths as inverse_widths() gives them (parameters.h).
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

// The first round.
struct InverseResidual {
  Masked P;      // A W at residual_bits, whole matrices
  Masked plain;  // W without a carry term, triangles
};
// A as whole matrices, W as triangles.
[[nodiscard]] Task<InverseResidual> inverse_residual(Party& party, const SymmetricLanes& lanes, const Masked& A,
                                                     const Masked& W, unsigned residual_bits);

// The second: 2W - (W P + P' W) / 2, triangles at `bits`.
[[nodiscard]] Task<Masked> iterated(Party& party, const SymmetricLanes& lanes, const Masked& W,
                                    const InverseResidual& residual, unsigned bits);

}  // namespace sotto::apps::bandit
