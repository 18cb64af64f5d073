// Products of shared words by oblivious transfers, for two parties without a dealer: of words with words, and of shared
// bits with words.
//
// Functionality   transfer_products: additive shares of x and y in Z/2^w -> additive shares of x y, a row of `width`
//                 words x times one y. transfer_bit_products: XOR shares of a bit b and additive shares of a row y ->
//                 additive shares of b y. Shares mod 2^w.
// How             core/transfer/ring_products.h (Gilboa, CRYPTO 1999), both ways: each party sends with its x and
//                 chooses with its y, and adds x_i y_i. Of a bit: b y_s = b_s y_s + b_r (1 - 2 b_s) y_s, so that each
//                 sends (1 - 2 b_s) y_s and chooses by its bit.
// Rounds, bytes   2 rounds: requests, replies. Each party sends product_request_bytes() and product_reply_bytes(), up
//                 to whole words: of words of 64 bits 64 (16 / k) + 260 bytes a product, of a bit 16 / k and w / 8
//                 bytes a word of its row.
// Who sees what   A request hides the bits that choose, a reply is hidden by random transfers of which the receiver has
//                 one each. One of the two may be corrupt; both follow the protocol.
// Throws          std::invalid_argument where sizes, w or the bits of factors do not fit.
#pragma once

#include "core/transfer/ring_products.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The parties' shares of count * width words, nothing at other roles. `x` has count * width words, `y` has count, and
// all w bits of y choose: choice_bits is bits. `transfers` outlives the task.
[[nodiscard]] Task<Words> transfer_products(Party& party, TransferPair& transfers, RingProducts products, Words x,
                                            Words y);

// The same of count bits, a word each of which the lowest bit counts, with rows y; choice_bits is 1.
[[nodiscard]] Task<Words> transfer_bit_products(Party& party, TransferPair& transfers, RingProducts products,
                                                Words bits, Words y);

// one_way_products: products of a factor that one of two parties knows and a factor that the other knows, in rings of
// several sizes at once (core/transfer/ring_products.h).
//
// Functionality   For each shape the sender's words x and the receiver's y -> additive shares of x y mod 2^w.
// Rounds, bytes   2 rounds: the receiver sends product_request_bytes() of each shape, the sender product_reply_bytes(),
//                 up to whole words in sum.
// Who sees what   As of transfer_products.
// Throws          std::invalid_argument where sizes do not fit.

// `factors`: the words of this party for each shape, nothing at roles without transfers; so is what comes back.
// `transfers` outlives the task.
[[nodiscard]] Task<PoolVector<Words>> one_way_products(Party& party, TransferPair& transfers, NodeId sender,
                                                       PoolVector<RingProducts> shapes, PoolVector<Words> factors,
                                                       Label label);

}  // namespace sotto::protocols
