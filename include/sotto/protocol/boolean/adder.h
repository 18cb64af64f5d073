// Adders on XOR shares.
//
// carry_save      n words of w bits -> two words with the same sum mod 2^w. Each level turns three words into two:
//                 x + y + z = (x ^ y ^ z) + 2 maj(x, y, z), with maj = ((x ^ z) & (y ^ z)) ^ z. [Wallace 64]
// add             x + y mod 2^w, from g = x & y and p = x ^ y. For i = 1, 2, 4 .. below w, a step replaces g by g ^ (p
//                 & (g << i)), and p by p & (p << i). The sum is (x ^ y) ^ (g << 1). [Kogge, Stone 73]
// top_bit_of_sum  Bit w - 1 of x + y mod 2^w, from the carry out of the low w - 1 bits. In each step, two neighbouring
//                 pairs (g1, p1) and (g0, p0) become one pair (g1 ^ p1 & g0, p1 & p0), so the width halves.
// Rounds          carry_save: carry_save_levels(n), 4 for 8 summands. add and top_bit_of_sum: adder_rounds(w) and
//                 top_bit_rounds(w), both 7 for 64 bits.
// Bytes           For each AND, a party sends two bits to each other party, and the dealer deals one bit. For each
//                 lane, carry_save of n words computes n - 2 majorities of w - 1 ANDs each. add needs w - 1 ANDs, plus
//                 2 (w - 1 - i) ANDs for each step i. top_bit_of_sum needs fewer than 3 w ANDs.
// Views           Only ANDs send messages (bits.h).
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

// Two words with the sum of all summands; with a single summand, the second word is zero.
[[nodiscard]] Task<std::pair<Bool, Bool>> carry_save(Party& party, std::vector<Bool> summands, Label label);
[[nodiscard]] Task<Bool> add(Party& party, Bool x, Bool y, Label label);
[[nodiscard]] Task<Bool> top_bit_of_sum(Party& party, Bool x, Bool y, Label label);

[[nodiscard]] unsigned carry_save_levels(std::size_t summands);
[[nodiscard]] unsigned adder_rounds(unsigned width);
[[nodiscard]] unsigned top_bit_rounds(unsigned width);

}  // namespace sotto::protocols
