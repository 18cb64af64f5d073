#include "sotto/protocol/io/deliver.h"

#include <array>
#include <cstring>
#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t seed_words = Seed::size / sizeof(std::uint64_t);

Task<std::optional<Seed>> received_seed(Party& party, NodeId from, NodeId to, Words words, Label label) {
  const Words received = co_await deliver(party, from, to, std::move(words), seed_words, label);
  if (received.empty()) co_return std::nullopt;
  std::array<std::byte, Seed::size> bytes{};
  std::memcpy(bytes.data(), received.data(), bytes.size());
  co_return Seed::from_bytes(bytes);
}

}  // namespace

Task<Words> deliver(Party& party, NodeId from, NodeId to, Words words, std::size_t lanes, Label label) {
  Words received;
  if (party.is(to)) received.assign(lanes, 0);
  const Slot slot{label, SlotKind::direct, 64, lanes, to, Group::sum, from};
  co_await Exchange(party.rounds(), slot, words, received);
  co_return received;
}

Task<std::vector<std::byte>> deliver_bytes(Party& party, NodeId from, NodeId to, std::vector<std::byte> bytes,
                                           std::size_t size, Label label) {
  const std::size_t lanes = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  Words words;
  if (party.is(from)) {
    require_argument(bytes.size() == size, "as many bytes as declared");
    words.assign(lanes, 0);
    if (size != 0) std::memcpy(words.data(), bytes.data(), size);
  }
  const Words received = co_await deliver(party, from, to, std::move(words), lanes, label);
  bytes.assign(party.is(to) ? size : 0, std::byte{0});
  if (!bytes.empty()) std::memcpy(bytes.data(), received.data(), size);
  co_return bytes;
}

Task<std::optional<Seed>> deliver_seed(Party& party, NodeId from, NodeId to, const Seed* seed, Label label) {
  Words words;
  if (party.is(from)) {
    words.resize(seed_words);
    std::memcpy(words.data(), seed->expose().data(), Seed::size);
  }
  return received_seed(party, from, to, std::move(words), label);
}

Task<Words> announce(Party& party, Words words, std::size_t lanes, Label label) {
  const Topology& topology = party.topology();
  PoolVector<Task<Words>> deliveries;
  for (std::size_t node = topology.parties(); node < topology.nodes(); ++node) {
    const Words from_first = party.is(0) ? words : Words{};
    deliveries.push_back(deliver(party, 0, static_cast<NodeId>(node), from_first, lanes, label));
  }
  PoolVector<Words> received = co_await when_all(std::move(deliveries));
  for (Words& received : received) {
    if (!received.empty()) words = std::move(received);
  }
  co_return words;
}

}  // namespace sotto::protocols
