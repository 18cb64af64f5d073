// agree_on_transfers: two parties set up oblivious transfers in both directions, without a dealer.
//
// Functionality   Each of the parties 0 and 1 becomes the sender of one extension (core/transfer/extension.h), and the
//                 receiver of the other.
// How             core/transfer/extension_set_up.h, in both directions at the same time.
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

// `session` is the run's id, the same at all roles and fresh in each run; `number` differs between the set-ups of a
// run.
[[nodiscard]] Task<TransferPair> agree_on_transfers(Party& party, unsigned k, std::array<std::byte, 16> session,
                                                    std::uint64_t number = 0);

// Parties 0 and 1 send each other `size` bytes, rounded up to whole words, or `lanes` words, in one round. All other
// roles get an empty result.
[[nodiscard]] Task<std::vector<std::byte>> exchange_bytes(Party& party, std::vector<std::byte> mine, std::size_t size,
                                                          Label label);
[[nodiscard]] Task<Words> exchange_words(Party& party, Words mine, std::size_t lanes, Label label);

}  // namespace sotto::protocols
