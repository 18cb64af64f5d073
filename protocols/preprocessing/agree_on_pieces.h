// agree_on_pieces: the makers of a run's randomness agree on their keys before they make anything. The function
// agree_on_pieces() works for all modes without a dealer.
//
// Rounds, bytes, who sees what and errors are those of replicated/run_replicated.h and transfers/transfer_pieces.h.
#pragma once

#include <string>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/randomness_by.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// `secret` is this role's own and fresh. `label` is the same at all roles and belongs to no other agreement. Throws
// std::invalid_argument if `by` is a dealer.
[[nodiscard]] Task<MakePieces> agree_on_pieces(Party& party, RandomnessBy by, Seed secret, std::string label);

}  // namespace sotto::protocols
