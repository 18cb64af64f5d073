// mask_trunc: divides a value by 2^f and masks the result, in one round. A wrap-around failure cannot occur.
//
// Functionality   [z] -> Masked z/2^f with floor(z/2^f) + [c < z mod 2^f], c uniform in [0, 2^f). The parties learn c
//                 from the opening. The error is below one unit, the mean is exact, and multiples of 2^f are exact. A
//                 later opening of the truncated value also reveals the comparison [c < z mod 2^f]: the rounding is not
//                 the hidden coin of an ideal functionality [compare eprint 2024/1127].
// How             r is a fresh 64-bit mask, r' is the low 63 bits of r, and h is bit 63 of r. Open
//                     c = z + 2^62 + r;
//                 Then two numbers are public: k is bit 63 of c, and c' is the low 63 bits of c. So
//                     z/2^f = (c' >> f) - 2^(62-f) + k 2^(63-f) - (r' >> f) + (1-2k) 2^(63-f) h.
//                 Therefore D = (c' >> f) - 2^(62-f) + k 2^(63-f), and the mask is mu + k g with
//                     mu = (r' >> f) - 2^(63-f) h    and    g = 2^(64-f) h.
//                 The dealer knows mu and g. [The public top bit is from Escudero et al., eprint 2020/338; that the
//                 result stays masked is our own.]
// Costs           `mask_trunc` by f | 1 | 8 L | 8 L, and f bits a lane
// Rounds, bytes   1 round, 8 bytes per lane to each party; dealt: 8 bytes and f bits per lane.
// Primitive       different roles run different steps
// Views           The opened c is uniform; the dealer sees nothing.
// Ranges          -2^62 <= z < 2^62, 1 <= f <= 62. Outside of these ranges the result is wrong, and no role can notice.
//                 Callers derive |z| from public bounds.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The result has value.scale() - f fraction bits. Throws std::invalid_argument if f is out of range or above the scale.
[[nodiscard]] Task<Masked> mask_trunc(Party& party, Arith value, unsigned f, Label label);

// mask_trunc for a product whose term c was not dealt (PendingProduct): the mask of the opening is r = t - c, with a
// fresh pad t.
[[nodiscard]] Task<Masked> mask_trunc(Party& party, PendingProduct value, unsigned f, Label label);

}  // namespace sotto::protocols
