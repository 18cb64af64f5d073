// ranked_values: scores with the rank in their low bits, so that equal scores never tie.
//
// Functionality   a row of masked scores -> (score >> shift) 2^l + rank, in groups of one row each,
//                 masked by m' = (m >> shift) 2^l - rank, which the dealer deals. Lanes beyond the arms hold zero.
// Rounds, bytes   none; dealt: 8 bytes a lane of the groups.
// Who sees what   D' is a function of the public D; the sharing of m' is fresh.
// Ranges          ranks below 2^l; the result is right modulo 2^(64 - shift + l). score >> shift is
//                 its floor or one more (masked.h).
#pragma once

#include "sotto/core/party/party.h"
#include "sotto/core/sharing/masked.h"

namespace sotto::protocols {

// `groups` has at least as many lanes as `scores`, which must have plain masks.
[[nodiscard]] Masked ranked_values(Party& party, const Masked& scores, const Samples& samples, Shape groups,
                                   RankedWidths widths);

}  // namespace sotto::protocols
