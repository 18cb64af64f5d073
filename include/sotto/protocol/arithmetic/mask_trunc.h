// mask_trunc: divides a value by 2^f and masks the result, in one round, and never wraps around.
//
// Functionality   [z] -> Masked floor(z/2^f) + [c < z mod 2^f], with c uniform in [0, 2^f). The bit [c < z mod 2^f] is
//                 1 if c < z mod 2^f, else 0. The parties learn c from the opening. The error of the result is below
//                 one unit and zero on average. A multiple of 2^f is divided without an error. A later opening of the
//                 result also reveals [c < z mod 2^f], which an ideal functionality would hide [compare eprint
//                 2024/1127].
// How             r is a fresh 64-bit mask, r' is the low 63 bits of r, and h is bit 63 of r. The parties open
//                     c = z + 2^62 + r.
//                 Let k be bit 63 of c, and c' the low 63 bits of c. Then
//                     z/2^f = (c' >> f) - 2^(62-f) + k 2^(63-f) - (r' >> f) + (1-2k) 2^(63-f) h.
//                 So D = (c' >> f) - 2^(62-f) + k 2^(63-f) is public. The mask is mu + k g, with
//                     mu = (r' >> f) - 2^(63-f) h    and    g = 2^(64-f) h.
//                 The dealer knows mu and g. [Escudero et al., eprint 2020/338, make the top bit public. Our addition:
//                 the result stays masked.]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `mask_trunc` by f | 1 | 8 L | 8 L, and f bits a lane
// Primitive       the code takes different steps at different roles
// Views           The opened c is uniform, and the dealer sees nothing.
// Ranges          -2^62 <= z < 2^62, 1 <= f <= 62; otherwise the result is wrong, and no role can notice.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The result has value.scale() - f fraction bits. Throws std::invalid_argument if f is out of range or above the scale.
[[nodiscard]] Task<Masked> mask_trunc(Party& party, Arith value, unsigned f, Label label);

// Truncates a product from which the dealer's term was left out (PendingProduct,
// include/sotto/protocol/sharing/arith.h).
[[nodiscard]] Task<Masked> mask_trunc(Party& party, PendingProduct value, unsigned f, Label label);

}  // namespace sotto::protocols
