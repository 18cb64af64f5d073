// pieces: a smooth function of one masked number, by parabolas from tables.
//
// Functionality   masked x in [least, most] -> masked f(x) with an error of at most Pieces::error max(1, |f|). Here |f|
//                 stands for the smallest value of |f| on the exceeds + 1 pieces for which the parabola is fitted.
// How             The range is cut into 2^b pieces of width 2^-j, each with a parabola c_0 + c_1 x + c_2 x^2 from
//                 one-time tables. The piece number may be too large by Pieces::exceeds, so each parabola is fitted to
//                 exceeds + 1 pieces. [SecureML, S&P 2017, and its successors find the piece by comparisons]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `evaluate`, 2^b pieces | 2 | 24 L, then 8 L |
//                   2^b (w0 + w1 + w2) bits a lane, truncations and products
// Views           Openings are uniform (mask_trunc.h); entries are fresh sharings (table_lookup.h).
// Ranges          Outside of [least, most], the result may be any number. Carry terms of x have at most 30 bits.
// Throws          std::invalid_argument if the fraction bits of x differ from the plan, or if a run without a dealer
//                 gets pieces planned for a dealer.
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

// The most by which a piece number may be too large.
[[nodiscard]] constexpr unsigned piece_exceeds(bool has_dealer) { return has_dealer ? 1 : 3; }

struct Pieces {
  double least;
  unsigned fraction_bits;  // fraction bits of x
  unsigned piece_bits;     // j: a piece has width 2^-j
  unsigned index_bits;
  unsigned coefficient_bits;      // fraction bits of the coefficients
  unsigned result_bits;           // fraction bits of f(x)
  std::array<unsigned, 3> rings;  // w_i: number of bits of the ring of c_i
  std::vector<std::array<std::int64_t, 3>> coefficients;
  double error;  // the largest error of the computation, relative to |f| if |f| is above 1
  unsigned exceeds = piece_exceeds(true);

  [[nodiscard]] std::size_t dealt_table_bits() const {
    return (std::size_t{1} << index_bits) * (rings[0] + rings[1] + rings[2]);
  }
};

// The plan with the fewest pieces whose error on [least, most] is at most `error` max(1, |f|), for x with 4 to 30
// fraction bits. Throws std::invalid_argument if 2^12 pieces are too few, or if values of f are not finite or do not
// fit the ring.
[[nodiscard]] Pieces plan_pieces(const std::function<double(double)>& f, double least, double most,
                                 unsigned fraction_bits, unsigned result_bits, double error, bool has_dealer = true);

[[nodiscard]] Task<Masked> evaluate(Party& party, Masked x, std::shared_ptr<const Pieces> pieces);

}  // namespace sotto::protocols
