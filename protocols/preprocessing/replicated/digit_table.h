// One-hots of replicated digits as tables of numbers.
//
// Functionality   The 2^b entries [digit = j] as numbers in Z/2^bits, in additive shares of the second and the third
//                 party. The lead party has no words, which means that its shares are zeros.
// How             replicated_bits.h defines the lead, the second and the third party. The lead party knows a, the
//                 second and the third party know s, and digit = a ^ s. From the one-hot of a, the lead party subtracts
//                 words of key `lead`, which the third party also has. It sends the differences to the second party.
//                 The second and the third party move entry j to j ^ s: they exchange halves if a bit of s is 1, in the
//                 same way for all lanes.
// Rounds, bytes   1 round; the lead party sends 2^b entries a lane of `bits` bits, packed.
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

// `keys` must outlive the task. In a byte, the bits above an entry's ring may be anything, so users of entries must cut
// these bits off.
[[nodiscard]] Task<TableShares> digit_table(Party& party, PairKeys& keys, NodeId lead, NumberPieces digit,
                                            unsigned bits, Label label);

}  // namespace sotto::protocols
