// ranks: the order of the values of each row, kept secret.
//
// Functionality   masked values, a row of n columns -> the rank of each value: the number of values of its row that
//                 come before it in descending order, 0 for the largest. Among equal values the value further left
//                 comes first, so the ranks of a row are a permutation. Ranks come as an index (masked_ranks), or as
//                 bits (at_rank): whether a value has rank r, in Z/2^64.
// How             All pairs i < j are compared: [x_i < x_j] counts for i, and its opposite for j. The counts, of
//                 ceil(log2 n) bits, are opened masked. A one-time table for each rank gives the bits. [sorting by
//                 counting comparisons, as argmax.h]
// Costs           `masked_ranks`, n columns | 2 | n (n-1) / 2 + n bytes a row | n (n-1) / 2 comparisons a row
//                 `at_rank`, n columns | 0 | 0 | n 2^ceil(log2 n) words a row
// Rounds, bytes   masked_ranks takes 2 rounds: n (n-1) / 2 bytes a row to each party, then n. Dealt a row: n (n-1) / 2
//                 comparisons of k bits (below_zero.h), and n tables of 2^ceil(log2 n) words for each rank that is
//                 asked for. at_rank takes no round.
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

// at_rank for all ranks first .. first + count - 1 together.
[[nodiscard]] Arith at_rank(Party& party, const MaskedIndex& ranks, std::size_t first, std::size_t count = 1);

}  // namespace sotto::protocols
