// agree_on_transfers: two parties set up oblivious transfers in both directions, without a dealer.
//
// Functionality   After the set-up, each of the parties 0 and 1 is the sender of one extension
//                 (core/transfer/extension.h), and the receiver of the extension whose sender is the other party.
// How             core/transfer/extension_set_up.h, in both directions at the same time: base transfers in ristretto255
//                 (Masny and Rindal, CCS 2019), trees of keys (Roy, CRYPTO 2022).
// Rounds, bytes   2 rounds; each party sends 16,384 bytes, once a session.
// Views           Each party sees elements and keys that look uniform, under CDH with the hashes as random oracles. One
//                 of the two parties may be corrupt; both must follow the protocol.
// Throws          std::invalid_argument unless there are two compute parties and k is 2, 4 or 8. ProtocolError if the
//                 other party sends bytes that encode no element.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/transfer/extension.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// A party's ends of both extensions; empty at other roles. Only one program at a time may use a TransferPair, and both
// parties must use it in the same order.
struct TransferPair {
  unsigned k;
  std::optional<ExtensionSender> sender;
  std::optional<ExtensionReceiver> receiver;
};

// The set-up. `session` is the run's id, the same at all roles and fresh in each run. `number` differs for each set-up
// of one session.
[[nodiscard]] Task<TransferPair> agree_on_transfers(Party& party, unsigned k, std::array<std::byte, 16> session,
                                                    std::uint64_t number = 0);

// exchange_bytes, exchange_words: the parties 0 and 1 send each other a message of the same size, in one round. Each
// party sees its peer's message; no other role sees either message.

// Returns the bytes of the other party; empty at roles other than parties 0 and 1. Takes 1 round; each party sends
// `size` bytes, rounded up to whole words.
[[nodiscard]] Task<std::vector<std::byte>> exchange_bytes(Party& party, std::vector<std::byte> mine, std::size_t size,
                                                          Label label);
// Like exchange_bytes(), for `lanes` words.
[[nodiscard]] Task<Words> exchange_words(Party& party, Words mine, std::size_t lanes, Label label);

}  // namespace sotto::protocols
