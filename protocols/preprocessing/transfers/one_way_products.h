// one_way_products: products of a factor that one of two parties knows and a factor that the other knows, in rings of
// several sizes at once (core/transfer/ring_products.h).
//
// Functionality   For each shape the sender's words x and the receiver's y -> additive shares of x y mod 2^w.
// Rounds, bytes   2 rounds: the receiver sends product_request_bytes() of each shape, the sender product_reply_bytes(),
//                 up to whole words in sum.
// Who sees what   As in transfer_products.h.
// Throws          std::invalid_argument where sizes do not fit.
#pragma once

#include "core/transfer/ring_products.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `factors`: the words of this party for each shape, nothing at roles without transfers; so is what comes back.
// `transfers` outlives the task.
[[nodiscard]] Task<PoolVector<Words>> one_way_products(Party& party, TransferPair& transfers, NodeId sender,
                                                       PoolVector<RingProducts> shapes, PoolVector<Words> factors,
                                                       Label label);

}  // namespace sotto::protocols
