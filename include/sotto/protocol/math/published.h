// exp(x) as (1 + x/256)^256, by eight squarings. [Hannun et al. 2019, section 3, "Exponential"]
//
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `exp` | 8 | 8 L a round | truncations and products
// Views           Openings are uniform (mask_trunc.h).
// Ranges          -256 <= x <= 8, with f <= 24 fraction bits, and a relative error of about x^2 / 512, as published.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<Masked> exp(Party& party, Masked x);

// The reciprocal as published: seven Newton steps y <- 2 y - d y^2 from y = 3 exp(1/2 - d) + 0.003. [Hannun et al.
// 2019, section 3, "Reciprocal"]
//
// Rounds, bytes   9 + 2 * 7 rounds, 8 bytes per lane in each round.
// Views           Openings are uniform (mask_trunc.h).
// Ranges          d in [1, 10] with f <= 20 fraction bits; the error at d = 10 is 1.5%.

[[nodiscard]] Task<Masked> published_reciprocal(Party& party, Masked d);

}  // namespace sotto::protocols
