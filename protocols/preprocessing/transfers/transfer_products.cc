#include "protocols/preprocessing/transfers/transfer_products.h"

#include <utility>
#include <vector>

#include "protocols/preprocessing/transfers/exchange_bytes.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

using Bytes = std::vector<std::byte>;

// Shares of the products of this party's `sent` with the other's `choosing`, plus those the other way round.
Task<Words> cross_products(Party& party, TransferPair& transfers, RingProducts products, Words sent, Words choosing) {
  const std::size_t request_size = product_request_bytes(transfers.k, products);
  const std::size_t reply_size = product_reply_bytes(products);
  Words shares;
  Bytes message;
  if (transfers.receiver) {
    shares.assign(products.count * products.width, 0);
    message.resize(request_size);
    request_products(*transfers.receiver, products, choosing, shares, message);
  }
  message = co_await exchange_bytes(party, std::move(message), request_size, "products, requests");
  Words as_sender;
  Bytes reply;
  if (transfers.sender) {
    as_sender.assign(shares.size(), 0);
    reply.resize(reply_size);
    reply_products(*transfers.sender, products, sent, message, as_sender, reply);
  }
  reply = co_await exchange_bytes(party, std::move(reply), reply_size, "products, replies");
  if (transfers.receiver) {
    finish_products(products, choosing, reply, shares);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += as_sender[i];
  }
  co_return shares;
}

void check_factors(const TransferPair& transfers, const RingProducts& products, const Words& rows,
                   const Words& factors) {
  if (!transfers.sender) return;
  require_argument(rows.size() == products.count * products.width && factors.size() == products.count,
                   "a row of words for each factor");
}

}  // namespace

Task<Words> transfer_products(Party& party, TransferPair& transfers, RingProducts products, Words x, Words y) {
  require_argument(products.choice_bits == products.bits, "products by whole words");
  check_factors(transfers, products, x, y);
  Words shares = co_await cross_products(party, transfers, products, x, y);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = (shares[i] + x[i] * y[i / products.width]) & ring_mask(products.bits);
  }
  co_return shares;
}

Task<Words> transfer_bit_products(Party& party, TransferPair& transfers, RingProducts products, Words bits, Words y) {
  require_argument(products.choice_bits == 1, "products by bits");
  check_factors(transfers, products, y, bits);
  Words turned = y;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] *= 1 - 2 * (bits[i / products.width] & 1);
  Words shares = co_await cross_products(party, transfers, products, std::move(turned), bits);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = (shares[i] + (bits[i / products.width] & 1) * y[i]) & ring_mask(products.bits);
  }
  co_return shares;
}

}  // namespace sotto::protocols
