// bit_and: the AND of two XOR-shared values, bit by bit, with a dealt AND triple.
//
// Functionality   [x], [y] of w bits a lane -> [x & y]. A triple is a, b uniform and c = a & b.
//                 1. Open d = x ^ a and e = y ^ b.
//                 2. x & y = c ^ (d & b) ^ (e & a) ^ (d & e); party 0 adds the last term.
//                 [Beaver, CRYPTO 91; GMW 87]
// Costs           `bit_and`, width w | 1 | 2 w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, 2 w bits a lane to each party, packed into words of 8 bytes; dealt: w
//                 bits a lane (a and b are expansions of the parties' seeds).
// Primitive       what the roles do differs
// Who sees what   d and e are uniform, since no n-1 parties know a or b. The output's shares are
//                 fresh: the dealt sharing of c is uniform.
// Throws          std::invalid_argument where shapes or widths differ.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Bool> bit_and(Party& party, Bool x, Bool y, Label label);

}  // namespace sotto::protocols
