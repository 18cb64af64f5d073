// Adders on XOR shares: carry-save for many summands, parallel prefix for two, and the top bit of a sum by a carry
// tree.
//
// carry_save      n words of w bits -> two words with the same sum mod 2^w. Each level turns every three words into
//                 two: x + y + z = (x ^ y ^ z) + 2 maj(x, y, z), with
//                 maj = ((x ^ z) & (y ^ z)) ^ z. [Wallace 64]
// add             x + y mod 2^w. g = x & y, p = x ^ y; in step i = 1, 2, 4 .. below w
//                 g ^= p & (g << i), p &= p << i; the sum is (x ^ y) ^ (g << 1). [Kogge, Stone 73]
// top_bit_of_sum  bit w - 1 of x + y mod 2^w. Only the carry out of the low w - 1 bits is needed, and no carries in
//                 between. In each step, neighbours (g1, p1) and (g0, p0) become (g1 ^ p1 & g0, p1 & p0), so that the
//                 width halves.
// Rounds          carry_save: carry_save_levels(n), 4 for 8 summands. add and top_bit_of_sum: one round, and one more
//                 for each doubling of the width. The functions adder_rounds(w) and top_bit_rounds(w) return these
//                 numbers of rounds, both 7 for 64 bits.
// Bytes           An AND sends two bits to each party, and takes one dealt bit. Per lane, carry_save needs w - 1 ANDs
//                 for each majority. Per lane, add needs w - 1 ANDs, plus 2 (w - 1 - i) ANDs for each step i. Per lane,
//                 top_bit_of_sum needs fewer than 3 w ANDs.
// Views           only ANDs send messages, see bits.h.
// Throws          std::invalid_argument if shapes or widths differ, or if there is no summand.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Two words whose sum is the sum of all summands. If there is only one summand, the second word is zero.
[[nodiscard]] Task<std::pair<Bool, Bool>> carry_save(Party& party, std::vector<Bool> summands, Label label);
[[nodiscard]] Task<Bool> add(Party& party, Bool x, Bool y, Label label);
// One bit per lane.
[[nodiscard]] Task<Bool> top_bit_of_sum(Party& party, Bool x, Bool y, Label label);

[[nodiscard]] unsigned carry_save_levels(std::size_t summands);
[[nodiscard]] unsigned adder_rounds(unsigned width);
[[nodiscard]] unsigned top_bit_rounds(unsigned width);

}  // namespace sotto::protocols
