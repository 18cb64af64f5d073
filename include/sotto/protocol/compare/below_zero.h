// below_zero: the sign of a masked value, by look-ups.
//
// Functionality   masked x with -2^(k-1) <= x < 2^(k-1) -> shares of [x < 0] in Z/2^w.
// How             D = x + m is public. The low k-1 bits of D and m are cut into digits d_i and m_i.
//                 1. A table for each digit gives sign(d_i - m_i), or -[d_0 < m_0] for the lowest digit.
//                 2. The weighted sum s of the table entries (ComparisonPlan) is negative exactly when a borrow leaves
//                    the low bits. With a fresh mask m_s, the parties open D_s = s + m_s in Z/2^digits, in one byte.
//                 3. [x < 0] = D_top xor m_top xor [s < 0]. The bit [s < 0] is the top bit of D_s, xor the top bit of
//                    m_s, xor the borrow [D_s' < m_s'] of the low bits D_s' and m_s'. A last table at D_s' gives m_top
//                    xor (top bit of m_s) xor [D_s' < m_s']. The parties flip the table's entry if the two public bits,
//                    D_top and the top bit of D_s, differ.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `below_zero`, k bits | 1 | 1 byte a lane | `dealt_bits(plan)` a lane
// Primitive       the code takes different steps at different roles
// Views           The opened sum is uniform, and table entries are fresh sharings.
// Ranges          If x is out of range, the sign may be wrong, so callers derive k from public bounds.
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
// The low k - 1 bits are cut into n digits, the lowest first. The weights 1, 1, 2, 4 .. 2^(n-2) ensure that lower
// digits together never outweigh a higher digit. The sum lies in [-2^(n-1), 2^(n-1)), so it fits Z/2^n, and its top bit
// is the borrow out of the low bits. The table of digit i >= 1 needs only the ring Z/2^(n+1-i), because its weight is
// 2^(i-1).

struct ComparisonPlan {
  static constexpr unsigned most_digits = 8;  // with 8 digits the sum fits a byte

  unsigned bits = 0;    // k: the compared value lies in [-2^(k-1), 2^(k-1))
  unsigned digits = 0;  // n
  std::array<std::uint8_t, most_digits> widths{};

  [[nodiscard]] unsigned sum_bits() const { return digits; }
  // The weight of digit i is 2^raise(i).
  [[nodiscard]] static unsigned raise(unsigned i) { return i == 0 ? 0 : i - 1; }
  [[nodiscard]] unsigned ring_bits(unsigned i) const { return digits - raise(i); }
};

// The plan for a comparison of `bits` bits with results in Z/2^result_bits. Throws std::invalid_argument unless 2 <=
// bits <= 63 and 1 <= result_bits <= 64.
[[nodiscard]] ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits);

// The number of dealt bits of a comparison with n digits: 2^(n-1) result_bits for the last table, plus 2^width
// ring_bits for the table of each digit.
[[nodiscard]] std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits);

[[nodiscard]] Task<Arith> below_zero(Party& party, MaskedIndex x, ComparisonPlan plan, unsigned result_bits,
                                     Label label);

// [x < y] as a bit in Z/2^64, in 1 round. x and y must have equal scales, |x - y| < 2^(k-1) units, and no carry terms
// in the low k bits.
[[nodiscard]] Task<Arith> less_than(Party& party, Masked x, Masked y, unsigned k, Label label);

// Comparison by circuit, from AND triples and daBits only.
//
// Functionality   [z] in Z/2^w, read as signed -> [z < 0] in Z/2^k, additively shared.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `below_zero_by_circuit`, 64 bits | 8 for n = 2 | ANDs and one bit | ANDs and one daBit
// Rounds, bytes   The rounds of sign_of (convert.h), plus one round that turns the bit into additive shares.
// Views           Openings are uniform (bits.h, convert.h), and the output's shares are fresh.
// Ranges          all of Z/2^w; less_than_by_circuit: |x - y| < 2^63 units.

[[nodiscard]] Task<Arith> below_zero_by_circuit(Party& party, Arith value, unsigned result_bits, Label label);

// [x < y] as a bit in Z/2^64. Throws std::invalid_argument unless shapes, scales and rings agree.
[[nodiscard]] Task<Arith> less_than_by_circuit(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
