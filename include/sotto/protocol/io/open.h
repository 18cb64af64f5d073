// open: all compute parties learn a value. open_to: only one node learns a value.
//
// How             A dealt sharing of zero refreshes the shares before the parties send them. Without the refresh, the
//                 shares would reveal more than their sum, because shares of an input are functions of masks.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `open` | 1 | w L | the ring's bits a lane
//                 `open_to` | 1 | w L, to the receiver only | the ring's bits a lane
// Rounds, bytes   1 round, w bytes per lane. w is the smallest of 1, 2, 4 and 8 bytes that fits a ring element.
// Views           The receivers see all shares of z, which are uniform except for their sum: the view can be simulated
//                 from the output.
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

// A function that receives the words that a compute party sends, so that the caller can send the same words again.
using SentWords = std::function<void(std::span<const std::uint64_t>)>;

// `receiver` may be a compute party or an outside node. open_to() calls `sent` at each compute party.
[[nodiscard]] Task<Public> open_to(Party& party, NodeId receiver, Arith value, Label label, SentWords sent = {});

}  // namespace sotto::protocols
