// Computes exp(x) as (1 + x/256)^256, by eight squarings. [Hannun et al. 2019, section 3, "Exponential"]
//
// Costs           `exp` | 8 | 8 L a round | truncations and products
// Rounds, bytes   8 rounds. In each round, each party sends 8 bytes per lane to each other party.
// Views           openings are uniform (mask_trunc.h).
// Ranges          -256 <= x <= 8. The result has f <= 24 fraction bits, as many as x. Each step computes with f + 8
//                 fraction bits. The relative error of (1 + x/256)^256 itself is about x^2 / 512, as published; the
//                 truncations add a few units.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<Masked> exp(Party& party, Masked x);

// The reciprocal as published, so that the figures of the paper can be reproduced. The published method has seven steps
// of Newton's y <- 2 y - d y^2 from y = 3 exp(1/2 - d) + 0.003. The other runs of sotto use reciprocal.h. [Hannun et
// al. 2019, section 3, "Reciprocal"]
//
// Rounds, bytes   9 + 2 * 7 rounds. In each round, each party sends 8 bytes per lane to each other party.
// Views           openings are uniform (mask_trunc.h).
// Ranges          d in [1, 10] with f <= 20 fraction bits; after seven steps the error at d = 10 is
//                 still 1.5%.

[[nodiscard]] Task<Masked> published_reciprocal(Party& party, Masked d);

}  // namespace sotto::protocols
