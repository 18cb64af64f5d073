// deliver: one node sends words to another node, and no other role sees the words.
//
// Functionality   `to` gets the words of `from`.
// How             The words go unchanged over the link between the two nodes. The link must be confidential.
// Rounds, bytes   1 round; `from` sends 8 bytes per lane.
// Views           `to` sees all words. All other roles see only the number of lanes, which is public.
// Ranges          any 64-bit words: ring elements, the bits of doubles, keys. `from` must pass `lanes` words
//                 (std::invalid_argument), and all other roles pass no words.
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

// Returns the words at `to`, and nothing at any other role. `from` and `to` are any two nodes with a link: two compute
// parties, or a compute party and another node.
[[nodiscard]] Task<Words> deliver(Party& party, NodeId from, NodeId to, Words words, std::size_t lanes, Label label);

// deliver for `size` bytes, which travel in ceil(size / 8) words of 8 bytes.
[[nodiscard]] Task<std::vector<std::byte>> deliver_bytes(Party& party, NodeId from, NodeId to,
                                                         std::vector<std::byte> bytes, std::size_t size, Label label);

// deliver for a seed, as 2 words. `seed` is read only at `from`, within the call, and may be null at all other roles.
[[nodiscard]] Task<std::optional<Seed>> deliver_seed(Party& party, NodeId from, NodeId to, const Seed* seed,
                                                     Label label);

// tell: sends words that all compute parties know to the nodes that do not compute.
//
// Functionality   public words of the compute parties -> the same words at all nodes that are not compute parties.
// How             Party 0 sends the words; the other parties already have the words.
// Rounds, bytes   1 round; party 0 sends 8 bytes per lane to each node that is not a compute party. Nothing is dealt.
// Views           All nodes see the words, so only words that may become public may be sent, such as hashes of masked
//                 openings.
// Ranges          any 64-bit words. The compute parties must pass `lanes` words (std::invalid_argument), and all other
//                 nodes pass no words.

// Returns the words at every node, and nothing at the dealer.
[[nodiscard]] Task<Words> tell(Party& party, Words words, std::size_t lanes, Label label);

}  // namespace sotto::protocols
