// below_zero: the sign of a masked value, by look-ups.
//
// Functionality   masked x with -2^(k-1) <= x < 2^(k-1) -> shares of [x < 0] in Z/2^w.
// How             1. Cut the low k-1 bits of D and of m into digits. A table for each digit gives sign(d_i - m_i); the
//                    table of the lowest digit gives only -[d_0 < m_0].
//                 2. The weighted sum s of the table entries (ComparisonPlan) is negative exactly when a borrow leaves
//                    the low bits. Open s, masked in Z/2^digits: D_s = s + m_s, one byte.
//                 3. [x < 0] = D_top xor m_top xor [s < 0]. The top bit of s is the top bit of D_s, xor the top bit of
//                    m_s, xor the borrow [D_s' < m_s'] of the low bits D_s' and m_s'. A last table over D_s' gives the
//                    part that depends on the masks. This part is flipped if D_top differs from the top bit of D_s;
//                    both bits are public.
// Costs           `below_zero`, k bits | 1 | 1 byte a lane | `dealt_bits(plan)` a lane
// Rounds, bytes   1 round, 1 byte per lane to each party; dealt: dealt_bits(plan) a lane.
// Primitive       different roles run different steps
// Views           the opened sum is uniform; table entries are fresh sharings.
// Ranges          If x is out of range, the sign is wrong. Callers never guess k: they derive k from public bounds when
//                 they plan the program.
// Throws          std::invalid_argument if x has fewer than k bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The tables of a comparison of k bits, chosen so that the fewest bits are dealt.
//
// The low k - 1 bits are cut into n digits, the lowest first. Digit 0 gives -[d < m], and each higher digit gives
// sign(d - m). The results of the digits are added up with the weights 1, 1, 2, 4 .. 2^(n-2), so that a digit is never
// outweighed by all lower digits together. The sum lies in [-2^(n-1), 2^(n-1)), so it fits Z/2^n. The top bit of the
// sum is the borrow out of the low bits. Digit i >= 1 weighs 2^(i-1), so its table needs only the ring Z/2^(n+1-i).
// Higher digits have smaller rings, so the highest digits are the widest. The last table finds a borrow from n - 1 bits
// (see below_zero).

struct ComparisonPlan {
  static constexpr unsigned most_digits = 8;  // with 8 digits the sum fits a byte

  unsigned bits = 0;    // k: the compared value lies in [-2^(k-1), 2^(k-1))
  unsigned digits = 0;  // n
  std::array<std::uint8_t, most_digits> widths{};

  // Returns n: the sum is in Z/2^n.
  [[nodiscard]] unsigned sum_bits() const { return digits; }
  // The weight of digit i is 2^raise(i).
  [[nodiscard]] static unsigned raise(unsigned i) { return i == 0 ? 0 : i - 1; }
  [[nodiscard]] unsigned ring_bits(unsigned i) const { return digits - raise(i); }
};

// The plan that deals the fewest bits for results in Z/2^result_bits. 2 <= k <= 63 and
// 1 <= result_bits <= 64 (std::invalid_argument). Each thread remembers the plans that it made last.
[[nodiscard]] ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits);

// The number of bits that are dealt for a comparison by this plan: 2^(n-1) result_bits, and 2^width ring_bits for each
// digit.
[[nodiscard]] std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits);

[[nodiscard]] Task<Arith> below_zero(Party& party, MaskedIndex x, ComparisonPlan plan, unsigned result_bits,
                                     Label label);

// [x < y] as a bit in Z/2^64, for masked values of one scale with |x - y| < 2^(k-1) units. The values must have no
// carry terms in the low k bits. 1 round.
[[nodiscard]] Task<Arith> less_than(Party& party, Masked x, Masked y, unsigned k, Label label);

// Comparison by circuit, which needs only AND triples and daBits. The circuit also serves as a cross-check of the
// comparison by look-ups.
//
// Functionality   [z] in Z/2^w, read as signed -> [z < 0] in Z/2^k, additively shared.
// Costs           `below_zero_by_circuit`, 64 bits | 8 for n = 2 | ANDs and one bit | ANDs and one daBit
// Rounds, bytes   the rounds of sign_of (convert.h), and one more for the bit: 8 rounds for two parties and 64 bits.
//                 The comparison by look-ups takes one round.
// Views           openings are uniform (bits.h, convert.h); the output's shares are fresh.
// Ranges          all of Z/2^w; less_than_by_circuit: |x - y| < 2^63 units.

[[nodiscard]] Task<Arith> below_zero_by_circuit(Party& party, Arith value, unsigned result_bits, Label label);

// [x < y] as a bit in Z/2^64. Shapes, scales and rings must agree (std::invalid_argument).
[[nodiscard]] Task<Arith> less_than_by_circuit(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
