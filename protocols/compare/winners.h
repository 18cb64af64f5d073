// The inside of argmax: the one-hot of the largest in each row, by comparing all pairs of the row.
#pragma once

#include <cstddef>

#include "core/async/pool.h"
#include "core/async/task.h"
#include "core/party/party.h"
#include "core/sharing/arith.h"
#include "core/sharing/masked.h"

namespace sotto::protocols {

// What the dealer puts into the tables instead of, or beside, the comparison. Empty vectors
// everywhere else.
struct DealersChoice {
  PoolVector<std::size_t> ranks;  // a lane: decides equal values of a row, the higher rank wins;
                                  // empty: values never tie
  PoolVector<std::size_t>
      forced;  // a row: the column that wins whatever the values are; empty: the largest wins
};

// values: rows x columns indices of at least k bits, |v_i - v_j| < 2^(k-1) - 1 in each row. Returns
// rows x columns bits in Z/2^64, one set in each row. 2 rounds; see argmax.h for the rest.
[[nodiscard]] Task<Arith> winners(Party& party, MaskedIndex values, unsigned comparison_bits,
                                  DealersChoice choice);

}  // namespace sotto::protocols
