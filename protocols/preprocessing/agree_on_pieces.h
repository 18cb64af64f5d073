// agree_on_pieces: in a run without a dealer, the makers of the randomness agree on their keys.
#pragma once

#include <string>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/randomness_by.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// `secret` is this role's own and fresh. No other agreement has the same `label`. Throws std::invalid_argument if `by`
// is a dealer.
[[nodiscard]] Task<MakePieces> agree_on_pieces(Party& party, RandomnessBy by, Seed secret, std::string label);

}  // namespace sotto::protocols
