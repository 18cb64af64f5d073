#include "core/transfer/extension_set_up.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto {
namespace {

Bits128 bits_of(const Seed& seed) {
  Bits128 bits;
  std::memcpy(&bits, seed.expose().data(), sizeof(bits));
  return bits;
}

std::uint64_t bit_of(const Bits128& bits, std::size_t i) { return bits.word[i / 64] >> i % 64 & 1; }

// The base transfer of a tree's level, as the bit of the difference: the first level decides the highest bit.
std::size_t place_of(std::size_t tree, unsigned level, unsigned k) { return tree * k + (k - 1 - level); }

// The sender wants the sums of the nodes off its path: those whose last bit is not the path's.
SecretVector<std::uint8_t> choices_of(const Bits128& difference) {
  SecretVector<std::uint8_t> choices;
  choices.reserve(base_transfers);
  for (std::size_t i = 0; i < base_transfers; ++i) {
    choices.push_back(static_cast<std::uint8_t>(1 - bit_of(difference, i)));
  }
  return choices;
}

unsigned checked(unsigned k) {
  require_argument(is_extension_parameter(k), "k of 2, 4 or 8");
  return k;
}

Tweaks tweaks_of(const TransferLabel& label) { return Tweaks((label.number << 8) + label.sender); }

}  // namespace

SenderSetUp::SenderSetUp(const TransferLabel& label, std::string peer, unsigned k)
    : SenderSetUp(label, std::move(peer), checked(k), SecretVector<Bits128>{bits_of(Seed::from_os())}) {}

SenderSetUp::SenderSetUp(const TransferLabel& label, std::string peer, unsigned k, SecretVector<Bits128> difference)
    : label_(label),
      peer_(std::move(peer)),
      k_(k),
      difference_(std::move(difference)),
      base_(label, peer_, choices_of(difference_.front())) {}

ExtensionSender SenderSetUp::finish(std::span<const std::byte> base, std::span<const std::byte> sums) const {
  if (sums.size() != tree_sums_bytes) {
    throw ProtocolError(
        ProtocolError::Kind::malformed, peer_, 0,
        fmt::format("{} sent {} bytes of trees' sums where {} were expected", peer_, sums.size(), tree_sums_bytes));
  }
  const std::vector<Seed> keys = base_.keys(base);
  std::vector<LeafSums> trees;
  for (std::size_t tree = 0; tree < base_transfers / k_; ++tree) {
    SecretVector<Bits128> own;
    std::uint64_t missing = 0;
    for (unsigned level = 0; level < k_; ++level) {
      const std::size_t place = place_of(tree, level, k_);
      std::array<Bits128, 2> both;
      std::memcpy(both.data(), sums.data() + place * sizeof(both), sizeof(both));
      const std::uint64_t bit = bit_of(difference_.front(), place);
      missing = 2 * missing + bit;
      own.push_back(both[1] ^ masked_by(bit, both[0] ^ both[1]) ^ bits_of(keys[place]));
    }
    trees.emplace_back(grow_punctured_tree(missing, own), true);
  }
  return {k_, std::move(trees), difference_.front(), TransferHash(label_.session), tweaks_of(label_)};
}

ReceiverSetUp::ReceiverSetUp(const TransferLabel& label, std::string peer, unsigned k)
    : label_(label), k_(checked(k)), base_(label, std::move(peer), base_transfers) {}

std::pair<ExtensionReceiver, std::vector<std::byte>> ReceiverSetUp::finish(std::span<const std::byte> base) const {
  const std::vector<std::array<Seed, 2>> keys = base_.keys(base);
  std::vector<Bits128> sums(2 * base_transfers);
  std::vector<LeafSums> trees;
  for (std::size_t tree = 0; tree < base_transfers / k_; ++tree) {
    const KeyTree grown = grow_tree(Seed::from_os(), k_);
    for (unsigned level = 0; level < k_; ++level) {
      const std::size_t place = place_of(tree, level, k_);
      for (std::size_t bit = 0; bit < 2; ++bit) {
        sums[2 * place + bit] = grown.sums[level][bit] ^ bits_of(keys[place][bit]);
      }
    }
    trees.emplace_back(grown.leaves, false);
  }
  const auto bytes = std::as_bytes(std::span(sums));
  return {ExtensionReceiver(k_, std::move(trees), TransferHash(label_.session), tweaks_of(label_)),
          std::vector<std::byte>(bytes.begin(), bytes.end())};
}

}  // namespace sotto
