#include "core/transfer/base_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/sha256.h"

namespace sotto {
namespace {

constexpr std::string_view element_domain = "sotto base transfers 1, ristretto255 SHA-512";
constexpr std::string_view key_domain = "sotto base transfers 1, key";

[[noreturn]] void refuse(const std::string& peer, const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::malformed, peer, 0,
                      fmt::format("{} sent {} in the set-up of oblivious transfers", peer, what));
}

// Message of `count` transfers of `each` bytes.
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

// H_bit of the other element.
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

// Exchanges the elements where the bit is 1; without a branch.
void exchange_if(std::uint8_t bit, std::array<GroupElement, 2>& elements) {
  const auto mask = static_cast<std::byte>(-static_cast<int>(bit));
  for (std::size_t i = 0; i < elements[0].size(); ++i) {
    const std::byte change = (elements[0][i] ^ elements[1][i]) & mask;
    elements[0][i] ^= change;
    elements[1][i] ^= change;
  }
}

}  // namespace

BaseReceiver::BaseReceiver(const TransferLabel& label, std::string peer, SecretVector<std::uint8_t> choices)
    : label_(label), peer_(std::move(peer)), choices_(std::move(choices)) {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const std::uint8_t choice = choices_[i];
    require_argument(choice <= 1, "a choice of 0 or 1");
    exponents_.push_back(GroupScalar::from_os());
    // Which of the two was drawn tells the choice.
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
