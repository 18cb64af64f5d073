// Adders on XOR shares: carry-save for many summands, parallel prefix for two, and the top bit of a sum by a carry
// tree.
//
// carry_save      n words of w bits -> two words with the same sum mod 2^w. Each level turns every three words into
//                 two: x + y + z = (x ^ y ^ z) + 2 maj(x, y, z), with
//                 maj = ((x ^ z) & (y ^ z)) ^ z. [Wallace 64]
// add             x + y mod 2^w. g = x & y, p = x ^ y; in step i = 1, 2, 4 .. below w
//                 g ^= p & (g << i), p &= p << i; the sum is (x ^ y) ^ (g << 1). [Kogge, Stone 73]
// top_bit_of_sum  bit w - 1 of x + y mod 2^w. The carry out of the low w - 1 bits needs no carries in between. So
//                 neighbours (g1, p1), (g0, p0) become (g1 ^ p1 & g0, p1 & p0), and the width halves.
// Rounds          carry_save: carry_save_levels(n), 4 for 8 summands. add and top_bit_of_sum: one round, and one more
//                 for each doubling. That is adder_rounds(w) and top_bit_rounds(w), both 7 for 64 bits.
// Bytes           An AND sends two bits to each party, and one bit is dealt. ANDs a lane: carry_save has w - 1 for each
//                 majority. add has w - 1 + the sum of 2 (w - 1 - i) over the steps. top_bit_of_sum has less than 3 w.
// Views           only ANDs send messages, see bits.h.
// Throws          std::invalid_argument where shapes or widths differ, or without a summand.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Two words whose sum is that of all summands. A single summand is returned with zero.
[[nodiscard]] Task<std::pair<Bool, Bool>> carry_save(Party& party, std::vector<Bool> summands, Label label);
[[nodiscard]] Task<Bool> add(Party& party, Bool x, Bool y, Label label);
// One bit a lane.
[[nodiscard]] Task<Bool> top_bit_of_sum(Party& party, Bool x, Bool y, Label label);

[[nodiscard]] unsigned carry_save_levels(std::size_t summands);
[[nodiscard]] unsigned adder_rounds(unsigned width);
[[nodiscard]] unsigned top_bit_rounds(unsigned width);

}  // namespace sotto::protocols
