#include "core/transfer/extension_set_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto {
namespace {

Bits128 bits_of(const Seed& seed) {
  Bits128 bits;
  std::memcpy(&bits, seed.expose().data(), sizeof(bits));
  return bits;
}

std::uint64_t bit_of(const Bits128& bits, std::size_t i) { return bits.word[i / 64] >> i % 64 & 1; }

std::size_t place_of(std::size_t tree, unsigned level, unsigned k) { return tree * k + (k - 1 - level); }

// At each level of a tree, the sender chooses the sum of the nodes whose last bit differs from the bit of the sender's
// path.
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

constexpr std::string_view element_domain = "sotto base transfers 1, ristretto255 SHA-512";
constexpr std::string_view key_domain = "sotto base transfers 1, key";

[[noreturn]] void refuse(const std::string& peer, const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::malformed, peer, 0,
                      fmt::format("{} sent {} in the set-up of oblivious transfers", peer, what));
}

void check_length(const std::string& peer, std::span<const std::byte> message, std::size_t count, std::size_t each) {
  if (message.size() == count * each) return;
  refuse(peer, fmt::format("{} bytes where {} were expected", message.size(), count * each));
}

GroupElement element_at(std::span<const std::byte> message, std::size_t index) {
  GroupElement element;
  std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(index * element.size()), element.size(), element.begin());
  return element;
}

void write_place(ByteWriter& writer, const TransferLabel& label, std::uint64_t transfer, std::uint8_t bit) {
  writer.bytes(label.session);
  writer.octet(label.sender);
  writer.number(label.number);
  writer.number(transfer);
  writer.octet(bit);
}

GroupElement blind_of(const TransferLabel& label, std::uint64_t transfer, std::uint8_t bit, const GroupElement& other) {
  ByteWriter writer;
  write_place(writer, label, transfer, bit);
  writer.bytes(other);
  const std::vector<std::byte> text = writer.take();
  return hash_to_group({reinterpret_cast<const char*>(text.data()), text.size()}, element_domain);
}

Seed key_of(const TransferLabel& label, std::uint64_t transfer, std::uint8_t bit,
            const std::array<GroupElement, 2>& of_receiver, const GroupElement& of_sender, const GroupElement& power) {
  ByteWriter writer(256);
  writer.text(key_domain);
  write_place(writer, label, transfer, bit);
  writer.bytes(of_receiver[0]);
  writer.bytes(of_receiver[1]);
  writer.bytes(of_sender);
  writer.bytes(power);
  std::vector<std::byte> text = writer.take();
  std::array<std::byte, 32> digest = sha256({reinterpret_cast<const char*>(text.data()), text.size()});
  const WipeAtExit wiped(digest);
  wipe_memory(text.data(), text.size());
  return Seed::from_bytes(std::span(digest).first<Seed::size>());
}

// Exchanges the elements if the bit is 1; without a branch.
void exchange_if(std::uint8_t bit, std::array<GroupElement, 2>& elements) {
  const auto mask = static_cast<std::byte>(-static_cast<int>(bit));
  for (std::size_t i = 0; i < elements[0].size(); ++i) {
    const std::byte change = (elements[0][i] ^ elements[1][i]) & mask;
    elements[0][i] ^= change;
    elements[1][i] ^= change;
  }
}

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

BaseReceiver::BaseReceiver(const TransferLabel& label, std::string peer, SecretVector<std::uint8_t> choices)
    : label_(label), peer_(std::move(peer)), choices_(std::move(choices)) {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const std::uint8_t choice = choices_[i];
    require_argument(choice <= 1, "a choice of 0 or 1");
    exponents_.push_back(GroupScalar::from_os());
    // The drawn element is wiped, because a copy of it would reveal the choice.
    GroupElement other = random_element();
    const WipeAtExit other_wiped(other);
    auto chosen = group_quotient(power_of_generator(exponents_[i]), blind_of(label_, i, choice, other));
    const WipeAtExit chosen_wiped(chosen);
    elements_.push_back({chosen.value(), other});
    exchange_if(choice, elements_.back());
  }
}

std::vector<std::byte> BaseReceiver::message() const {
  ByteWriter writer(elements_.size() * base_receiver_bytes);
  for (const auto& pair : elements_) {
    writer.bytes(pair[0]);
    writer.bytes(pair[1]);
  }
  return writer.take();
}

std::vector<Seed> BaseReceiver::keys(std::span<const std::byte> from_sender) const {
  check_length(peer_, from_sender, choices_.size(), base_sender_bytes);
  std::vector<Seed> keys;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const GroupElement theirs = element_at(from_sender, i);
    auto shared = power(theirs, exponents_[i]);
    const WipeAtExit wiped(shared);
    if (!shared) refuse(peer_, "no element of the group");
    keys.push_back(key_of(label_, i, choices_[i], elements_[i], theirs, *shared));
  }
  return keys;
}

BaseSender::BaseSender(const TransferLabel& label, std::string peer, std::size_t count)
    : label_(label), peer_(std::move(peer)) {
  for (std::size_t i = 0; i < count; ++i) {
    exponents_.push_back(GroupScalar::from_os());
    elements_.push_back(power_of_generator(exponents_[i]));
  }
}

std::vector<std::byte> BaseSender::message() const {
  ByteWriter writer(elements_.size() * base_sender_bytes);
  for (const GroupElement& element : elements_) writer.bytes(element);
  return writer.take();
}

std::vector<std::array<Seed, 2>> BaseSender::keys(std::span<const std::byte> from_receiver) const {
  check_length(peer_, from_receiver, elements_.size(), base_receiver_bytes);
  std::vector<std::array<Seed, 2>> keys;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const std::array<GroupElement, 2> theirs = {element_at(from_receiver, 2 * i), element_at(from_receiver, 2 * i + 1)};
    const auto key = [&](std::uint8_t bit) {
      const auto unblinded = group_product(theirs[bit], blind_of(label_, i, bit, theirs[1 - bit]));
      auto shared = unblinded ? power(*unblinded, exponents_[i]) : std::nullopt;
      const WipeAtExit wiped(shared);
      if (!shared) refuse(peer_, "no element of the group");
      return key_of(label_, i, bit, theirs, elements_[i], *shared);
    };
    keys.push_back({key(0), key(1)});
  }
  return keys;
}

}  // namespace sotto
