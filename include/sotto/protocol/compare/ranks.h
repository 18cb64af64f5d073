// ranks: the ranks of the values in each row, as secrets.
//
// Functionality   masked values in rows of n columns -> the rank of each value. The rank is the number of values in the
//                 same row that come before the value in descending order: 0 for the largest value. Among equal values
//                 the value further left comes first, so the ranks of a row are a permutation. A rank is returned as an
//                 index (masked_ranks), or as bits in Z/2^64 (at_rank): the bit for rank r says whether the value has
//                 rank r.
// How             All pairs i < j are compared: [x_i < x_j] is added to the rank of i, and 1 - [x_i < x_j] to the rank
//                 of j. The ranks have ceil(log2 n) bits. They are masked, and the masked ranks are opened. A one-time
//                 table for each rank gives the bits. [sorting by counting comparisons, as in argmax.h]
// Costs           `masked_ranks`, n columns | 2 | n (n-1) / 2 + n bytes a row | n (n-1) / 2 comparisons a row
//                 `at_rank`, n columns | 0 | 0 | n 2^ceil(log2 n) words a row
// Rounds, bytes   masked_ranks takes 2 rounds: n (n-1) / 2 bytes per row to each party in the first round, and n bytes
//                 in the second round. Dealt per row: n (n-1) / 2 comparisons of k bits (below_zero.h), and n tables of
//                 2^ceil(log2 n) words for each requested rank. at_rank takes no round.
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

// The bits of the ranks from `first` to `first + count - 1`, all at once.
[[nodiscard]] Arith at_rank(Party& party, const MaskedIndex& ranks, std::size_t first, std::size_t count = 1);

}  // namespace sotto::protocols
