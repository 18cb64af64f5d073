// deliver: one node sends words to another node.
//
// Rounds, bytes   1 round, in which `from` sends 8 bytes per lane.
// Views           `to` sees the words, which are sent unchanged, so the link must be confidential. All other roles see
//                 only the number of lanes, which is public.
// Throws          std::invalid_argument at `from` unless `words` has `lanes` words.
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

// Returns the words at `to`, and nothing elsewhere. One of the two nodes must be a compute party.
[[nodiscard]] Task<Words> deliver(Party& party, NodeId from, NodeId to, Words words, std::size_t lanes, Label label);

// deliver for `size` bytes, in ceil(size / 8) words.
[[nodiscard]] Task<std::vector<std::byte>> deliver_bytes(Party& party, NodeId from, NodeId to,
                                                         std::vector<std::byte> bytes, std::size_t size, Label label);

// deliver for a seed, in 2 words. `seed` may be null except at `from`, and is not used after the call.
[[nodiscard]] Task<std::optional<Seed>> deliver_seed(Party& party, NodeId from, NodeId to, const Seed* seed,
                                                     Label label);

// announce: all compute parties know certain words, and party 0 sends these words to all other nodes.
//
// Rounds, bytes   1 round; party 0 sends 8 bytes per lane to each node that is not a compute party. Nothing is dealt.
// Views           All nodes see the words, so only words that may become public may be sent.
// Throws          std::invalid_argument at a compute party unless `words` has `lanes` words.

// Returns the words at every node, and nothing at the dealer.
[[nodiscard]] Task<Words> announce(Party& party, Words words, std::size_t lanes, Label label);

}  // namespace sotto::protocols
