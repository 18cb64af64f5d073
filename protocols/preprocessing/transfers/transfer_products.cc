#include "protocols/preprocessing/transfers/transfer_products.h"

#include <span>
#include <utility>
#include <vector>

#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

using Bytes = std::vector<std::byte>;

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

template <class Byte>
std::span<Byte> next_part(std::span<Byte>& rest, std::size_t size) {
  const std::span<Byte> part = rest.first(size);
  rest = rest.subspan(size);
  return part;
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

Task<PoolVector<Words>> one_way_products(Party& party, TransferPair& transfers, NodeId sender,
                                         PoolVector<RingProducts> shapes, PoolVector<Words> factors, Label label) {
  require_argument(shapes.size() == factors.size(), "factors for each shape of products");
  const auto receiver = static_cast<NodeId>(1 - sender);
  std::size_t request_size = 0;
  std::size_t reply_size = 0;
  for (const RingProducts& shape : shapes) {
    request_size += product_request_bytes(transfers.k, shape);
    reply_size += product_reply_bytes(shape);
  }
  PoolVector<Words> shares(shapes.size());
  if (transfers.sender) {
    for (std::size_t i = 0; i < shapes.size(); ++i) shares[i].assign(shapes[i].count * shapes[i].width, 0);
  }
  std::vector<std::byte> message;
  if (party.is(receiver)) {
    message.resize(request_size);
    std::span<std::byte> rest(message);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      request_products(*transfers.receiver, shapes[i], factors[i], shares[i],
                       next_part(rest, product_request_bytes(transfers.k, shapes[i])));
    }
  }
  message = co_await deliver_bytes(party, receiver, sender, std::move(message), request_size, label);
  std::vector<std::byte> reply;
  if (party.is(sender)) {
    reply.resize(reply_size);
    std::span<const std::byte> request(message);
    std::span<std::byte> rest(reply);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      reply_products(*transfers.sender, shapes[i], factors[i],
                     next_part(request, product_request_bytes(transfers.k, shapes[i])), shares[i],
                     next_part(rest, product_reply_bytes(shapes[i])));
    }
  }
  reply = co_await deliver_bytes(party, sender, receiver, std::move(reply), reply_size, label);
  if (party.is(receiver)) {
    std::span<const std::byte> rest(reply);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      finish_products(shapes[i], factors[i], next_part(rest, product_reply_bytes(shapes[i])), shares[i]);
    }
  }
  co_return shares;
}

}  // namespace sotto::protocols
