// The inside of argmax: the one-hot of the largest in each group, by comparing all pairs of the group.
#pragma once

#include <cstddef>

#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/masked.h"

namespace sotto::protocols {

// values: a row of indices of at least k bits, v_i in row i / groups.columns and column
// i % groups.columns; the last group may be short, |v_i - v_j| < 2^(k-1) - 1 in each group. Returns bits in Z/2^64 in
// the shape of `groups`, one set in each row, zero where there is no value. `samples` break ties, unless they have no
// ranks and values never tie; where they explore, the column samples.arm is set in each row instead (none in a short
// last group that lacks it). 2 rounds; see argmax.h for the rest.
[[nodiscard]] Task<Arith> winners(Party& party, MaskedIndex values, Shape groups, unsigned comparison_bits,
                                  Samples samples);

}  // namespace sotto::protocols
