// Products of shared words, and of shared bits with words, by oblivious transfers of two parties.
//
// Functionality   transfer_products: additive shares of x and y in Z/2^w -> additive shares of x y, where x may be a
//                 row of `width` words. transfer_bit_products: XOR shares of a bit b and additive shares of a row y ->
//                 additive shares of b y mod 2^w.
// How             core/transfer/ring_products.h (Gilboa, CRYPTO 1999), in both directions: each party i is the sender
//                 with its x_i, chooses with its y_i, and adds x_i y_i. For a bit b = b_0 ^ b_1 and a sender s, let r
//                 be the receiver. Then b y_s = b_s y_s + b_r (1 - 2 b_s) y_s. So each party s is the sender of (1 - 2
//                 b_s) y_s in one direction. In the other direction, party s is the receiver, and chooses by the bit
//                 b_s.
// Rounds, bytes   2 rounds: requests, replies. Each party sends product_request_bytes() and product_reply_bytes(),
//                 rounded up to whole words: 64 (16 / k) + 260 bytes for words of 64 bits. A bit takes 16 / k bytes,
//                 and w / 8 bytes for each word of its row.
// Views           A request hides the bits that choose. A reply is hidden by random transfers: the receiver has only
//                 one of the two words of each transfer. One of the two parties may be corrupt; both must follow the
//                 protocol.
// Throws          std::invalid_argument if sizes, w or the bits of factors do not fit.
#pragma once

#include "core/transfer/ring_products.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `x` has count * width words, and `y` has `count` words; the result is empty at other roles. choice_bits must equal
// bits.
[[nodiscard]] Task<Words> transfer_products(Party& party, TransferPair& transfers, RingProducts products, Words x,
                                            Words y);

// transfer_products() for `count` bits, each the lowest bit of a word, with choice_bits 1.
[[nodiscard]] Task<Words> transfer_bit_products(Party& party, TransferPair& transfers, RingProducts products,
                                                Words bits, Words y);

// one_way_products: products of factors that one party knows and factors that the other party knows, in rings of
// several sizes at once (core/transfer/ring_products.h).
//
// Functionality   For each shape, the sender's words x and the receiver's words y -> additive shares of x y mod 2^w.
// Rounds, bytes   2 rounds: the receiver sends product_request_bytes() of each shape, and the sender sends
//                 product_reply_bytes() of each shape, rounded up to whole words.
// Throws          std::invalid_argument if sizes do not fit.

// `factors` and the result have this party's words for each shape; empty at other roles.
[[nodiscard]] Task<PoolVector<Words>> one_way_products(Party& party, TransferPair& transfers, NodeId sender,
                                                       PoolVector<RingProducts> shapes, PoolVector<Words> factors,
                                                       Label label);

}  // namespace sotto::protocols
