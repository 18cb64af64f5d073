// make_bit_triples: triples of random bits by oblivious transfers, for ANDs of two parties without a dealer.
//
// Functionality   Each of two parties gets words a, b, c that look uniform. With each word XORed over both parties, c =
//                 a b bit by bit.
// How             Two random transfers a triple, one each way (core/transfer/extension.h; Asharov, Lindell, Schneider
//                 and Zohner, CCS 2013). a is the party's choice, and b is the XOR of the bits that the party sent.
// Rounds, bytes   1 round; each party sends 16 / k bytes a triple (k of agree_on_transfers).
// Views           Each party sees the other party's choices under a stream that it cannot expand. One of the two
//                 parties may be corrupt; both must follow the protocol.
//
// and_with_triples: the AND of bits that the two parties hold by XOR, with such triples.
//
// Functionality   XOR shares x, y -> XOR shares of x & y, bit by bit.
// How             Open x ^ a and y ^ b; x & y = c ^ (x ^ a) b ^ (y ^ b) a ^ (x ^ a)(y ^ b). [Beaver, CRYPTO 91]
// Rounds, bytes   1 round; each party sends 2 bits an AND.
// Views           Each party sees the other party's shares of x and y, masked by that party's shares of a and b, which
//                 are uniform.
// Used once       A triple serves one AND: triples are moved, never copied, and and_with_triples takes them away.
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

// 64 triples in each of `words` words. `transfers` must outlive the task.
[[nodiscard]] Task<BitTriples> make_bit_triples(Party& party, TransferPair& transfers, std::size_t words);

// The parties' shares of x & y, 64 ANDs in each of `words` words; empty at other roles.
[[nodiscard]] Task<Words> and_with_triples(Party& party, BitTriples triples, std::size_t words, Words x, Words y);

}  // namespace sotto::protocols
