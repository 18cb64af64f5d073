// open: all compute parties learn a value. open_to: only one node learns a value.
//
// Functionality   open: all compute parties get z. open_to: the receiver gets z; the compute
//                 parties get nothing.
// How             A dealt sharing of zero refreshes the shares before they are sent. Shares of an input or of a linear
//                 combination are functions of masks. Without the refresh, opened shares would reveal more than their
//                 sum.
// Costs           `open` | 1 | w L | the ring's bits a lane
//                 `open_to` | 1 | w L, to the receiver only | the ring's bits a lane
// Rounds, bytes   1 round; each party sends w bytes per lane to each other party (open) or to the receiver (open_to).
//                 The size w is the smallest of 1, 2, 4 and 8 bytes that holds a ring element. Dealt: the ring's bits
//                 per lane.
// Views           The receivers see all shares of z, which are uniform except for their sum: the view can be simulated
//                 from the output.
// Ranges          any ring. In a run an opened value cannot influence the control flow of the program
//                 (include/sotto/protocol/sharing/public.h).
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

// A function that receives the words that a compute party sends. Some callers need these words, because they may have
// to send the same words again. Sending the same words again reveals nothing more.
using SentWords = std::function<void(std::span<const std::uint64_t>)>;

// `receiver` may be a compute party or an outside node. Only the receiver gets the result. `sent` is called at compute
// parties.
[[nodiscard]] Task<Public> open_to(Party& party, NodeId receiver, Arith value, Label label, SentWords sent = {});

}  // namespace sotto::protocols
