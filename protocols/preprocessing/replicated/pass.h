// pass_back, pass_on: each of three parties sends words to the one before it, or to the one after it.
//
// Functionality   pass_back: party i gets the words of party i + 1; pass_on: those of party i - 1.
// Rounds, bytes   1 round; each party sends 8 bytes a word. No word, no round.
// Who sees what   The receiver sees all: callers hide the words under a key that it lacks, or mean to open them.
#pragma once

#include <cstddef>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `mine` has `words` words at a party and none elsewhere; so has what comes back.
[[nodiscard]] Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label);
[[nodiscard]] Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label);

}  // namespace sotto::protocols
