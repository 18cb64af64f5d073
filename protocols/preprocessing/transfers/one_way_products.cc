#include "protocols/preprocessing/transfers/one_way_products.h"

#include <span>
#include <utility>
#include <vector>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

// Parts of a message, one after the other.
template <class Byte>
std::span<Byte> next_part(std::span<Byte>& rest, std::size_t size) {
  const std::span<Byte> part = rest.first(size);
  rest = rest.subspan(size);
  return part;
}

}  // namespace

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
