// The bits of a replicated number that nobody knows.
//
// Functionality   summand_bits   u and v with number = u + v mod 2^bits, as shared bits
//                 bits_of        the bits of number + carry mod 2^bits
// How             Lead (bit_conversion.h) knows u, the sum of its two pieces, and the two others know v, the third one.
//                 The bits of u are shared by XOR with a word of key `lead`, those of v are shared as they are; a
//                 ripple adder (circuits.h) gives the sum's. [roles as in ABY3, CCS 2018, section 5.3]
// Rounds, bytes   summand_bits: 1 round, lead sends second `bits` planes. bits_of: bits - 1 ANDs and rounds more.
// Who sees what   What lead sends is masked by words of K_lead, which second lacks.
#pragma once

#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

struct SummandBits {
  NumberPieces u, v;
};

// `keys` outlives each task.
[[nodiscard]] Task<SummandBits> summand_bits(Party& party, PairKeys& keys, NodeId lead, WordPieces number, Label label);
[[nodiscard]] Task<NumberPieces> bits_of(Party& party, PairKeys& keys, NodeId lead, WordPieces number, BitPieces carry,
                                         Label label);

}  // namespace sotto::protocols
