// One-hots of replicated digits as tables of numbers.
//
// Functionality   The 2^b entries [digit = j] in Z/2^bits, in additive shares of the second and the third party
//                 (replicated_bits.h); the lead party's shares are zeros.
// How             The lead party knows a, the second and the third party know s, and digit = a ^ s. From the one-hot of
//                 a, the lead party subtracts words of key `lead`, which the third party also has, and sends the
//                 differences to the second party. The second and the third party move entry j to j ^ s.
// Rounds, bytes   1 round; the lead party sends 2^b entries of `bits` bits for each lane, packed.
// Views           The entries are masked by F(K_lead), which the second party lacks.
// Throws          std::invalid_argument for digits of no bits or more than 16.
#pragma once

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// If an entry is stored in a byte, the byte's bits from `bits` on may be anything.
[[nodiscard]] Task<TableShares> digit_table(Party& party, PairKeys& keys, NodeId lead, NumberPieces digit,
                                            unsigned bits, Label label);

}  // namespace sotto::protocols
