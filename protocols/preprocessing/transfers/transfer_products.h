// Products of shared words by oblivious transfers, for two parties without a dealer: of words with words, and of shared
// bits with words.
//
// Functionality   transfer_products: additive shares of x and y in Z/2^w -> additive shares of x y. A row of `width`
//                 words x may be multiplied by one y. transfer_bit_products: XOR shares of a bit b and additive shares
//                 of a row y -> additive shares of b y. Shares are mod 2^w.
// How             core/transfer/ring_products.h (Gilboa, CRYPTO 1999), in both directions: each party i is the sender
//                 with its x_i, chooses with its y_i, and adds x_i y_i. For a bit, b y_s = b_s y_s + b_r (1 - 2 b_s)
//                 y_s, so each party sends (1 - 2 b_s) y_s and chooses by its bit.
// Rounds, bytes   2 rounds: requests, replies. Each party sends product_request_bytes() and product_reply_bytes(),
//                 rounded up to whole words. A product of words of 64 bits takes 64 (16 / k) + 260 bytes. A bit takes
//                 16 / k bytes, and w / 8 bytes for each word of its row.
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

// The parties' shares of count * width words; empty at other roles. `x` has count * width words, and `y` has `count`
// words. All w bits of y choose, so choice_bits must equal bits. `transfers` must outlive the task.
[[nodiscard]] Task<Words> transfer_products(Party& party, TransferPair& transfers, RingProducts products, Words x,
                                            Words y);

// Multiplies `count` bits by rows y, like transfer_products(). Each bit is the lowest bit of a word, and choice_bits is
// 1.
[[nodiscard]] Task<Words> transfer_bit_products(Party& party, TransferPair& transfers, RingProducts products,
                                                Words bits, Words y);

// one_way_products: products of a factor that one of two parties knows and a factor that the other party knows, in
// rings of several sizes at once (core/transfer/ring_products.h).
//
// Functionality   For each shape, the sender's words x and the receiver's words y -> additive shares of x y mod 2^w.
// Rounds, bytes   2 rounds: the receiver sends product_request_bytes() of each shape, and the sender sends
//                 product_reply_bytes() of each shape. Each message is rounded up to whole words.
// Views           As in transfer_products.
// Throws          std::invalid_argument if sizes do not fit.

// `factors` has this party's words for each shape, and is empty at roles without transfers. The result has the same
// form as `factors`. `transfers` must outlive the task.
[[nodiscard]] Task<PoolVector<Words>> one_way_products(Party& party, TransferPair& transfers, NodeId sender,
                                                       PoolVector<RingProducts> shapes, PoolVector<Words> factors,
                                                       Label label);

}  // namespace sotto::protocols
