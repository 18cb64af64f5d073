// open_bool: all compute parties learn an XOR-shared value.
//
// Functionality   [x] of w bits a lane -> x public, one word a lane.
// Rounds, bytes   1 round, w bits a lane to each party, packed into words of 8 bytes.
// Who sees what   The parties see all shares of x. These must be fresh, as the shares of bit_and
//                 are: n-1 of them are then uniform and the last follows from x, so the view is
//                 simulated from the output.
#pragma once

#include "core/async/task.h"
#include "core/party/party.h"
#include "core/sharing/bool.h"
#include "core/sharing/public.h"
#include "core/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Public> open_bool(Party& party, Bool value, Label label);

}  // namespace sotto::protocols
