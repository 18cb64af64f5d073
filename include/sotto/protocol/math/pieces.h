// pieces: a smooth function of one masked number, by parabolas that are looked up.
//
// Functionality   masked x in [least, most] -> masked f(x) with an error of at most Pieces::error max(1, |f|), where
//                 |f| is the smallest nearby.
// How             The range is cut into 2^b pieces of width 2^-j, with one parabola c_0 + c_1 x + c_2 x^2 a piece.
//                 One-time tables have the coefficients. Their index is the number of the piece: the bits of D and of m
//                 that number the pieces. This number may be one too large (include/sotto/protocol/sharing/masked.h),
//                 so each parabola is fitted to two pieces. Without a dealer it may be three too large, and each
//                 parabola is fitted to four (Pieces::exceeds).
//                 1. Look up c_0, c_1, c_2. Mask c_1, c_2 and x^2.
//                 2. c_0 + c_1 x + c_2 x^2, masked and rounded.
//                 Each c_i comes in a ring of as many bits as it has, in the upper bits of a word. Its masking drops
//                 the lower bits, so that a table of short entries gives numbers of Z/2^64.
//                 [piecewise polynomials by secret look-up: as in SecureML, S&P 2017, and its successors, by
//                 comparisons; tables: include/sotto/protocol/lookup/table_lookup.h]
// Costs           `evaluate`, 2^b pieces | 2 | 24 L, then 8 L |
//                   2^b (w0 + w1 + w2) bits a lane, truncations and products
// Rounds, bytes   2 rounds: 24 bytes a lane to each party in the first, 8 in the second. Dealt: 2^b (w_0 + w_1 + w_2)
//                 bits a lane for the tables, and what the truncations and carry terms take (mask_trunc.h, product.h).
// Views           Openings are uniform (mask_trunc.h); entries are fresh sharings (table_lookup.h).
// Ranges          x outside of [least, most] gives any number. x has carry terms of at most 30 bits.
// Throws          std::invalid_argument where x has other fraction bits than planned, where no plan is as close, and,
//                 without a dealer, for pieces that were planned with one.
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

// By how much the number of the piece that is found for an argument may be too large.
[[nodiscard]] constexpr unsigned piece_exceeds(bool has_dealer) { return has_dealer ? 1 : 3; }

struct Pieces {
  double least;
  unsigned fraction_bits;                                 // fraction bits of x
  unsigned piece_bits;                                    // j: a piece has width 2^-j
  unsigned index_bits;                                    // b: there are 2^b pieces
  unsigned coefficient_bits;                              // fraction bits of the coefficients
  unsigned result_bits;                                   // fraction bits of f(x)
  std::array<unsigned, 3> rings;                          // w_i: bits of the ring of c_i
  std::vector<std::array<std::int64_t, 3>> coefficients;  // c_0, c_1, c_2 of each piece
  double error;  // the error of fit, coefficients and truncations together; relative to |f| where that is above 1
  unsigned exceeds = piece_exceeds(true);  // by how much the number of the piece found may be too large

  [[nodiscard]] std::size_t dealt_table_bits() const {
    return (std::size_t{1} << index_bits) * (rings[0] + rings[1] + rings[2]);
  }
};

// The plan with the fewest pieces whose error is at most `error` max(1, |f|) on [least, most], for x of `fraction_bits`
// (4 to 30) fraction bits. For runs with a dealer, or without one. Throws std::invalid_argument where 2^12 pieces do
// not suffice, or where values are not finite or leave the ring.
[[nodiscard]] Pieces plan_pieces(const std::function<double(double)>& f, double least, double most,
                                 unsigned fraction_bits, unsigned result_bits, double error, bool has_dealer = true);

[[nodiscard]] Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces);

}  // namespace sotto::protocols
