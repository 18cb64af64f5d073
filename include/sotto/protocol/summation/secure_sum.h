// secure_sum: one node learns the sum of the parties' words, and nothing else of them.
//
// Functionality   `receiver` gets z_0 + ... + z_{n-1} in Z/2^64, lane by lane.
// How             Each party adds the next share of zero to its words and sends them.
// Rounds, bytes   1 round; each party sends 8 bytes a lane to the receiver, which sends nothing.
// Who sees what   The receiver sees n - 1 words a lane, or n if it is no party, uniform but for
//                 their sum: simulated from the output and its own input. With two parties, of which it is one, the sum
//                 less its own input is the other's input: nothing is hidden. Each party that colludes with the
//                 receiver lowers n by one.
// Ranges          any words; callers know from bounds that the sum does not wrap around.
#pragma once

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/summation/zero_shares.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `values` has `lanes` words at each party (std::invalid_argument) and none elsewhere. The sum at the receiver, nothing
// elsewhere. `zero` outlives the task.
[[nodiscard]] Task<Words> secure_sum(Party& party, NodeId receiver, ZeroShares& zero, Words values, std::size_t lanes,
                                     Label label);

}  // namespace sotto::protocols
