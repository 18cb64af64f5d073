// open: all compute parties learn a value. open_to: one node learns it and nobody else.
//
// Functionality   open: all compute parties get z. open_to: the receiver gets z; the compute
//                 parties get nothing.
// How             A dealt sharing of zero refreshes the shares first. Shares of an input or of a linear combination are
//                 functions of masks. Opened unchanged, they would reveal more than their sum.
// Costs           `open` | 1 | w L | the ring's bits a lane
//                 `open_to` | 1 | w L, to the receiver only | the ring's bits a lane
// Rounds, bytes   1 round; each party sends w bytes a lane to each other party (open) or to the receiver (open_to), w
//                 the least of 1, 2, 4, 8 bytes that holds the ring. Dealt: the ring's bits a lane.
// Views           The receivers see all shares of z, uniform except for their sum: simulated from the output.
// Ranges          any ring. In a run an opened value cannot steer the program, see
//                 include/sotto/protocol/sharing/public.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Public> open(Party& party, Arith value, Label label);

// Takes the words that a compute party sends, for callers that may have to send them again. Sending the same words
// again reveals nothing more.
using SentWords = std::function<void(std::span<const std::uint64_t>)>;

// `receiver` may be a compute party or an outside node. The result is known there only. `sent` is called at compute
// parties.
[[nodiscard]] Task<Public> open_to(Party& party, NodeId receiver, Arith value, Label label, SentWords sent = {});

}  // namespace sotto::protocols
