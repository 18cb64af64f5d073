// tell: words that all compute parties know, to the nodes that do not compute.
//
// Functionality   public words of the compute parties -> the same words at the nodes outside of them.
// How             Party 0 says them; the others hold them already.
// Rounds, bytes   1 round; party 0 sends 8 bytes a lane to each node outside. Nothing is dealt.
// Who sees what   All nodes see the words: they must be public by themselves, such as hashes of masked
//                 openings.
// Ranges          any 64-bit words. The compute parties give `lanes` words (std::invalid_argument), the
//                 others none.
#pragma once

#include <cstddef>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The words at every node, nothing at the dealer.
[[nodiscard]] Task<Words> tell(Party& party, Words words, std::size_t lanes, Label label);

}  // namespace sotto::protocols
