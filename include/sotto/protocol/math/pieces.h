// pieces: computes a smooth function of one masked number, by parabolas that are looked up in tables.
//
// Functionality   masked x in [least, most] -> masked f(x) with an error of at most Pieces::error max(1, |f|), where
//                 |f| is taken at its smallest value near x.
// How             The range is cut into 2^b pieces of width 2^-j, with one parabola c_0 + c_1 x + c_2 x^2 for each
//                 piece. The coefficients are the entries of one-time tables. The index into a table is the piece
//                 number, which is made of bits of D and of m. With a dealer, the piece number may be too large by one
//                 (include/sotto/protocol/sharing/masked.h), so each parabola is fitted to two pieces. Without a
//                 dealer, the piece number may be too large by three, so each parabola is fitted to four pieces
//                 (Pieces::exceeds).
//                 1. Look up c_0, c_1, c_2. Mask c_1, c_2 and x^2.
//                 2. Compute c_0 + c_1 x + c_2 x^2, masked and rounded.
//                 A table has entries in a ring with only as many bits as c_i needs. The entry is put into the upper
//                 bits of a word. The masking of c_i drops the lower bits, so that short entries become numbers of
//                 Z/2^64. [SecureML, S&P 2017, and its successors also compute piecewise polynomials, but find the
//                 piece by comparisons. For the tables, see include/sotto/protocol/lookup/table_lookup.h]
// Costs           `evaluate`, 2^b pieces | 2 | 24 L, then 8 L |
//                   2^b (w0 + w1 + w2) bits a lane, truncations and products
// Rounds, bytes   2 rounds: 24 bytes per lane to each party in the first round, and 8 in the second round. Dealt: 2^b
//                 (w_0 + w_1 + w_2) bits per lane for the tables, and the bits for truncations and carry terms
//                 (mask_trunc.h, product.h).
// Views           Openings are uniform (mask_trunc.h); entries are fresh sharings (table_lookup.h).
// Ranges          If x is outside of [least, most], the result may be any number. x has carry terms of at most 30 bits.
// Throws          std::invalid_argument if x does not have the planned number of fraction bits, or if no plan has so
//                 small an error. Without a dealer, also thrown for pieces that were planned for runs with a dealer.
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

// The piece number that is found for an argument may be too large by up to this number.
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
  double error;  // error of the fit, the coefficients and the truncations together; relative to |f| if |f| is above 1
  unsigned exceeds = piece_exceeds(true);  // by how much a piece number may be too large

  [[nodiscard]] std::size_t dealt_table_bits() const {
    return (std::size_t{1} << index_bits) * (rings[0] + rings[1] + rings[2]);
  }
};

// The plan with the fewest pieces whose error is at most `error` max(1, |f|) on [least, most], for x of `fraction_bits`
// (4 to 30) fraction bits. `has_dealer` says whether the runs have a dealer. Throws std::invalid_argument if 2^12
// pieces do not suffice, or if values of f are not finite or do not fit the ring.
[[nodiscard]] Pieces plan_pieces(const std::function<double(double)>& f, double least, double most,
                                 unsigned fraction_bits, unsigned result_bits, double error, bool has_dealer = true);

[[nodiscard]] Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces);

}  // namespace sotto::protocols
