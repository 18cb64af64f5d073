// pieces: a smooth function of one masked number, by parabolas that are looked up.
//
// Functionality   masked x in [least, most] -> masked f(x) with an error of at most Pieces::error max(1, |f|), |f| the
//                 smallest nearby.
// How             The range is cut into 2^b pieces of width 2^-j. The bits of D and of m that number the pieces index
//                 one-time tables of the coefficients of c_0 + c_1 x + c_2 x^2, one parabola a piece. The number of the
//                 piece may be one too large (include/sotto/protocol/sharing/masked.h), so each parabola is fitted to
//                 two pieces; without a dealer three, and to four (Pieces::exceeds).
//                 1. Look up c_0, c_1, c_2; mask c_1 and c_2, and x^2 beside.
//                 2. c_0 + c_1 x + c_2 x^2, masked and rounded.
//                 c_i come in the ring of as many bits as they have, in the upper bits of a word: what masks them drops
//                 the lower ones, so that a table of short entries gives numbers of Z/2^64.
//                 [piecewise polynomials by secret look-up: as in SecureML, S&P 2017, and its successors, by
//                 comparisons; tables: include/sotto/protocol/lookup/table_lookup.h]
// Costs           `evaluate`, 2^b pieces | 2 | 24 L, then 8 L |
//                   2^b (w0 + w1 + w2) bits a lane, truncations and products
// Rounds, bytes   2 rounds: 24 bytes a lane to each party in the first, 8 in the second. Dealt: 2^b (w_0 + w_1 + w_2)
//                 bits a lane for the tables, and what the truncations and carry terms take (mask_trunc.h, product.h).
// Who sees what   Openings are uniform (mask_trunc.h); entries are fresh sharings (table_lookup.h).
// Ranges          x outside of [least, most] gives any number. x has carry terms of at most 30 bits.
// Throws          std::invalid_argument where x has other fraction bits than planned, where no plan is as close, and
//                 without a dealer for pieces that were planned with one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

// How far off the piece of an argument may be found.
[[nodiscard]] constexpr unsigned piece_exceeds(bool has_dealer) { return has_dealer ? 1 : 3; }

struct Pieces {
  double least;
  unsigned fraction_bits;                                 // of x
  unsigned piece_bits;                                    // j
  unsigned index_bits;                                    // b
  unsigned coefficient_bits;                              // fraction bits of the coefficients
  unsigned result_bits;                                   // fraction bits of f(x)
  std::array<unsigned, 3> rings;                          // w_i
  std::vector<std::array<std::int64_t, 3>> coefficients;  // of each piece
  double error;  // of all together: fit, coefficients, truncations; where |f| is above 1, relative to it
  unsigned exceeds = piece_exceeds(true);  // the piece that is found may be so many too far

  [[nodiscard]] std::size_t dealt_table_bits() const {
    return (std::size_t{1} << index_bits) * (rings[0] + rings[1] + rings[2]);
  }
};

// The fewest pieces that come as close as `error` max(1, |f|) on [least, most], for x of `fraction_bits` (4 to 30)
// fraction bits. With a dealer, or for runs without one. Throws std::invalid_argument where 2^12 do not, or where
// values are not finite or leave the ring.
[[nodiscard]] Pieces plan_pieces(const std::function<double(double)>& f, double least, double most,
                                 unsigned fraction_bits, unsigned result_bits, double error, bool has_dealer = true);

[[nodiscard]] Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces);

}  // namespace sotto::protocols
