// An iteration that makes W a better inverse of A, for all arms alike: W <- 2W - W A W.
//
// With M = A^(1/2) W A^(1/2), an iteration replaces E = I - M by E^2, up to rounding. The parties compute both
// triangles of W A W. If the lower triangle were a copy of the upper triangle, rounding errors in directions with few
// data would spread to directions with many data.
//
// Rounds          2. In the first round the parties compute P = A W, and mask W again. In the second round they compute
//                 the new W.
// Bytes           Each party sends to each other party d^2 words per matrix for P, and d (d+1) words for W, where d is
//                 the number of features.
// Views           All openings are uniform.
// Ranges          0 < M < 2; inverse_widths() returns the numbers of fraction bits (parameters.h).
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

struct InverseResidual {
  Masked P;      // A W
  Masked plain;  // W, masked again without a carry term
};
// The first round.
[[nodiscard]] Task<InverseResidual> inverse_residual(Party& party, const SymmetricLanes& lanes, const Masked& A,
                                                     const Masked& W, unsigned residual_bits);

// The second round: 2W - (W P + P' W) / 2.
[[nodiscard]] Task<Masked> iterated(Party& party, const SymmetricLanes& lanes, const Masked& W,
                                    const InverseResidual& residual, unsigned bits);

}  // namespace sotto::apps::bandit
