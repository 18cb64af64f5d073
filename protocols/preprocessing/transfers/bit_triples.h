// make_bit_triples: triples of random bits by oblivious transfers, for ANDs of two parties without a dealer.
//
// Functionality   Two parties each get words a, b and c that look uniform. The XORs of both parties' words satisfy c =
//                 a b, bit by bit.
// How             Two random transfers, one in each direction (core/transfer/extension.h; Asharov, Lindell, Schneider
//                 and Zohner, CCS 2013). The bit a is the party's choice, and b is the XOR of the bits that the party
//                 sent.
// Rounds, bytes   1 round; each party sends 16 / k bytes a triple (k of agree_on_transfers).
// Views           Each party sees its peer's choices, masked by a stream that the party cannot expand. One of the two
//                 parties may be corrupt; both must follow the protocol.
//
// and_with_triples: the AND of bits that two parties share by XOR, with triples of make_bit_triples.
//
// Functionality   XOR shares x, y -> XOR shares of x & y, bit by bit.
// How             Open x ^ a and y ^ b; x & y = c ^ (x ^ a) b ^ (y ^ b) a ^ (x ^ a)(y ^ b). [Beaver, CRYPTO 91]
// Rounds, bytes   1 round; each party sends 2 bits an AND.
// Views           Each party sees its peer's shares of x and y, masked by the peer's uniform shares of a and b.
// Used once       A triple may be used for one AND only, so triples cannot be copied.
// Throws          std::invalid_argument if triples, x and y differ in number.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::protocols {

// A party's shares, 64 triples a word; empty at other roles.
struct BitTriples {
  BitTriples() = default;
  BitTriples(const BitTriples&) = delete;
  BitTriples& operator=(const BitTriples&) = delete;
  BitTriples(BitTriples&&) = default;
  BitTriples& operator=(BitTriples&&) = default;
  ~BitTriples() = default;

  Words a, b, c;
};

// Makes `words` words of 64 triples.
[[nodiscard]] Task<BitTriples> make_bit_triples(Party& party, TransferPair& transfers, std::size_t words);

// Shares of x & y, 64 ANDs in each of `words` words; empty at other roles.
[[nodiscard]] Task<Words> and_with_triples(Party& party, BitTriples triples, std::size_t words, Words x, Words y);

}  // namespace sotto::protocols
