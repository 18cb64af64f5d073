// mask: from shares to a masked value, the form in which products are local.
//
// Functionality   [z] -> D = z + m public, [m] shared, m uniform, fresh and known to the dealer.
// Costs           `mask` | 1 | 8 L | 0
//                 `mask_index`, Z/2^b | 1 | w L | 0
// Rounds, bytes   1 round; each party sends w bytes a lane to each other party (8 for mask),
//                 nothing is dealt: the mask is the expansion of the parties' seeds.
// Who sees what   D is uniform and independent of z, since no n-1 parties know m. The dealer does
//                 not see D.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Throws std::invalid_argument unless `value` is in Z/2^64.
[[nodiscard]] Task<Masked> mask(Party& party, Arith value, Label label);

// Masks a value of a small ring to index a table of 2^bits entries (protocols/lookup).
[[nodiscard]] Task<MaskedIndex> mask_index(Party& party, Arith value, Label label);

}  // namespace sotto::protocols
