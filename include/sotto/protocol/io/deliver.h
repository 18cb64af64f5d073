// deliver: one node sends words to another, and nobody else sees them.
//
// Functionality   `to` gets the words of `from`.
// How             Unchanged, over the link of the two, which must be confidential.
// Rounds, bytes   1 round; `from` sends 8 bytes a lane.
// Views           `to` sees all words. The others see the number of lanes, which is public.
// Ranges          any 64-bit words: ring elements, the bits of doubles, keys. `from` gives `lanes` words
//                 (std::invalid_argument), and the others none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The words at `to`, nothing elsewhere. The nodes are any two with a link: two that compute, or one that computes and
// one that does not.
[[nodiscard]] Task<Words> deliver(Party& party, NodeId from, NodeId to, Words words, std::size_t lanes, Label label);

// deliver for `size` bytes, which travel in ceil(size / 8) words of 8 bytes.
[[nodiscard]] Task<std::vector<std::byte>> deliver_bytes(Party& party, NodeId from, NodeId to,
                                                         std::vector<std::byte> bytes, std::size_t size, Label label);

// deliver for a seed, as 2 words. `seed` is read at once, only at `from`, and may be null elsewhere.
[[nodiscard]] Task<std::optional<Seed>> deliver_seed(Party& party, NodeId from, NodeId to, const Seed* seed,
                                                     Label label);

// tell: words that all compute parties know, to the nodes that do not compute.
//
// Functionality   public words of the compute parties -> the same words at the nodes outside of them.
// How             Party 0 sends the words; the other parties have them already.
// Rounds, bytes   1 round; party 0 sends 8 bytes a lane to each node outside. Nothing is dealt.
// Views           All nodes see the words: they must be public by themselves, such as hashes of masked openings.
// Ranges          any 64-bit words. The compute parties give `lanes` words (std::invalid_argument), and the others
//                 none.

// The words at every node, nothing at the dealer.
[[nodiscard]] Task<Words> tell(Party& party, Words words, std::size_t lanes, Label label);

}  // namespace sotto::protocols
