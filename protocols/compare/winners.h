// The inside of argmax: the one-hot of the largest in each group, by comparing all pairs of the group.
#pragma once

#include <cstddef>

#include "sotto/core/async/pool.h"
#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/masked.h"

namespace sotto::protocols {

// The dealer's additions to the tables, or its replacement of the comparison. Meaningless at other roles.
struct DealersChoice {
  PoolVector<std::size_t> ranks;   // a value: decides equal values of a group, the higher rank wins;
                                   // empty: values never tie
  bool explore = false;            // the forced column wins whatever the values are
  PoolVector<std::size_t> forced;  // a group: that column, which a short last group may lack
};

// values: a row of indices of at least k bits, v_i in row i / groups.columns and column
// i % groups.columns; the last group may be short, |v_i - v_j| < 2^(k-1) - 1 in each group. Returns bits in Z/2^64 in
// the shape of `groups`, one set in each row (none where a forced column is lacking), zero where there is no value. 2
// rounds; see argmax.h for the rest.
[[nodiscard]] Task<Arith> winners(Party& party, MaskedIndex values, Shape groups, unsigned comparison_bits,
                                  DealersChoice choice);

}  // namespace sotto::protocols
