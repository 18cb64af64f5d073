// ranks: the ranks of the values in each row, as secrets.
//
// Functionality   masked values in rows of n columns -> the rank of each value: the number of values before this value
//                 in descending order. The left one of two equal values comes first. masked_ranks returns an index.
//                 For a rank r, at_rank returns a bit in Z/2^64 that says whether the value has rank r.
// How             The parties compare all pairs i < j, and add [x_i < x_j] to the rank of i, and 1 - [x_i < x_j] to the
//                 rank of j. The parties mask and open the ranks, which have ceil(log2 n) bits, and look up the bits of
//                 at_rank in one-time tables. [sorting by counting comparisons, as in argmax.h]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `masked_ranks`, n columns | 2 | n (n-1) / 2 + n bytes a row | n (n-1) / 2 comparisons a row
//                 `at_rank`, n columns | 0 | 0 | n 2^ceil(log2 n) words a row
// Views           Openings are uniform (below_zero.h, mask.h); entries are fresh sharings (table_lookup.h).
// Ranges          |x_i - x_j| < 2^(k-1) units.
// Throws          std::invalid_argument for fewer than 2 or more than 256 columns, for carry terms in the low k bits,
//                 and for a rank that does not exist.
#pragma once

#include <cstddef>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

inline constexpr std::size_t most_ranked = 256;

[[nodiscard]] Task<MaskedIndex> masked_ranks(Party& party, Masked values, unsigned comparison_bits);

// For each value, the bit that says whether its rank is in [first, first + count).
[[nodiscard]] Arith at_rank(Party& party, const MaskedIndex& ranks, std::size_t first, std::size_t count = 1);

}  // namespace sotto::protocols
