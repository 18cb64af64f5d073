// multiply_with_triples: the product of two shared values with a classic Beaver triple.
//
// Functionality   [x], [y] in Z/2^w -> [x y], element by element. A triple is a, b uniform, c = ab.
//                 1. Open d = x - a and e = y - b.
//                 2. xy = c + d b + e a + d e; party 0 adds the last term. [Beaver, CRYPTO 91]
// Costs           `multiply_with_triples` | 1 | 2 ring elements a lane | one ring element a lane
// Rounds, bytes   1 round, 2 ring elements a lane to each party; dealt: w bits a lane (a and b are
//                 expansions of the parties' seeds).
// Primitive       what the roles do differs
// Who sees what   d and e are uniform, since no n-1 parties know a or b. The output's shares are
//                 fresh: the dealt sharing of c is uniform.
// Ranges          exact in the ring. The output's scale is the sum of the operands' scales.
// Throws          std::invalid_argument where shapes or rings differ.
//
// multiply (product.h) does the same by masks that further products may reuse. Here every triple is random and
// independent of the program, so that it may come from any preprocessing, without a dealer too.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> multiply_with_triples(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
