// exchange_bytes, exchange_words: the parties 0 and 1 send each other a message of the same size, in one round. Each
// sees the other's; nobody else sees either.
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The other party's bytes; nothing at other roles. Rounds, bytes: 1 round, `size` bytes of each, up to whole words.
[[nodiscard]] Task<std::vector<std::byte>> exchange_bytes(Party& party, std::vector<std::byte> mine, std::size_t size,
                                                          Label label);
// The same of `lanes` words.
[[nodiscard]] Task<Words> exchange_words(Party& party, Words mine, std::size_t lanes, Label label);

}  // namespace sotto::protocols
