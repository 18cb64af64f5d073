// open_bool: all compute parties learn an XOR-shared value.
//
// Functionality   [x] of w bits a lane -> x public, one word a lane.
// Costs           `open_bool`, width w | 1 | w bits a lane, packed | w bits a lane
// Rounds, bytes   1 round, w bits a lane to each party, packed into words of 8 bytes; as many are
//                 dealt.
// Primitive       what the roles do differs
// Who sees what   The parties see all shares of x, refreshed by a dealt sharing of zero (open.h):
//                 uniform but for their XOR, so the view is simulated from the output.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/public.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Public> open_bool(Party& party, Bool value, Label label);

}  // namespace sotto::protocols
