// The seeds of pair keys (pair_keys.h), agreed on once for a run: each party draws its own, the next party's is sent to
// it.
//
// Rounds, bytes   1 round: each party sends 16 bytes to the one before it, each node outside 32 bytes to each party.
// Who sees what   Each key its two holders; those of a node outside that node as well.
// Errors          std::invalid_argument unless the run has three compute parties, or two and a helper, and no dealer.
#pragma once

#include <string>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// `secret` is this node's own, fresh for the run.
[[nodiscard]] Task<PairKeys> agree_on_pair_keys(Party& party, Seed secret, std::string label);

// The same for many labels; HelpedKeys (helped_keys.h) where a helper stands for the third party. Keys of two labels
// have no word in common; those of one label are the same: it is used once.
[[nodiscard]] Task<MakePieces> agree_on_pair_pieces(Party& party, Seed secret);

}  // namespace sotto::protocols
