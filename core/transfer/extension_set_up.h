// The set-up of an extension (extension.h): 128 base transfers, then trees of keys.
//
// Messages        The sender sends 8,192 bytes and the receiver 4,096 bytes, in any order. Then the receiver sends
//                 4,096 bytes: both sums of each level of each tree, each encrypted under one key of a base transfer.
// Views           The receiver sees what a sender of base transfers sees. The sender lacks one of every two keys, and
//                 so one of every two sums. So the sender gets all leaves of each tree except one, whose number is the
//                 tree's k bits of the difference. That leaf looks uniform to the sender.
// Errors          ProtocolError (malformed) if the sums have a wrong length. std::invalid_argument if k is not 2, 4 or
//                 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/random/secret_vector.h"
#include "core/transfer/extension.h"
#include "sotto/protocol/group/ristretto.h"
#include "sotto/protocol/random/seed.h"

namespace sotto {

// Base transfers: one side gets pairs of random keys, and the other side one key of its choice from each pair.
//
// Functionality   In each transfer the sender gets keys k_0 and k_1, and the receiver gets k_c for its bit c.
// How             Masny and Rindal, "Endemic Oblivious Transfer" (CCS 2019), by Diffie-Hellman in ristretto255. The
//                 receiver draws x and r_(1-c) at random, and sends r_(1-c) and r_c = g^x / H_c(r_(1-c)). The sender
//                 sends A = g^y, with a fresh y for each transfer, and derives the keys from (r_j H_j(r_(1-j)))^y. The
//                 receiver derives its key from A^x.
// Messages        One in each direction, in any order. The receiver sends 64 bytes for each transfer, and the sender
//                 32.
// Views           The sender sees two random elements, whatever the choice. The receiver learns nothing of k_(1-c),
//                 under CDH with the hashes as random oracles. Both sides must follow the protocol. Each side can
//                 influence its keys ("endemic"), which random transfers allow.
// Hashes          H_j is hash_to_group of session, sender, number of the transfer, j and the other element. The key is
//                 SHA-256 of session, sender, number of the transfer, j, both elements, A and the power, cut to 16
//                 bytes.
// Errors          ProtocolError (malformed) if a message has a wrong length or contains an invalid element.
// Wiping          Choices, exponents and powers are wiped.

// Public values that make the hashes of different set-ups different.
struct TransferLabel {
  std::array<std::byte, 16> session{};  // of the run
  std::uint8_t sender = 0;
  std::uint64_t number = 0;
};

inline constexpr std::size_t base_receiver_bytes = 64;  // for each transfer
inline constexpr std::size_t base_sender_bytes = 32;

// The receiver's side, with one transfer for each choice.
class BaseReceiver {
 public:
  // `choices` are 0 or 1. Throws ResourceError if the operating system gives no randomness.
  BaseReceiver(const TransferLabel& label, std::string peer, SecretVector<std::uint8_t> choices);

  [[nodiscard]] std::vector<std::byte> message() const;
  [[nodiscard]] std::vector<Seed> keys(std::span<const std::byte> from_sender) const;

 private:
  TransferLabel label_;
  std::string peer_;
  SecretVector<std::uint8_t> choices_;
  std::vector<GroupScalar> exponents_;
  std::vector<std::array<GroupElement, 2>> elements_;
};

// The sender's side of `count` transfers.
class BaseSender {
 public:
  BaseSender(const TransferLabel& label, std::string peer, std::size_t count);

  [[nodiscard]] std::vector<std::byte> message() const;
  [[nodiscard]] std::vector<std::array<Seed, 2>> keys(std::span<const std::byte> from_receiver) const;

 private:
  TransferLabel label_;
  std::string peer_;
  std::vector<GroupScalar> exponents_;
  std::vector<GroupElement> elements_;
};

inline constexpr std::size_t base_transfers = TransferKernels::columns;
inline constexpr std::size_t tree_sums_bytes = base_transfers * 2 * sizeof(Bits128);

// The set-up of the extension's sender.
class SenderSetUp {
 public:
  SenderSetUp(const TransferLabel& label, std::string peer, unsigned k);

  [[nodiscard]] std::vector<std::byte> message() const { return base_.message(); }
  [[nodiscard]] ExtensionSender finish(std::span<const std::byte> base, std::span<const std::byte> sums) const;

 private:
  SenderSetUp(const TransferLabel& label, std::string peer, unsigned k, SecretVector<Bits128> difference);

  TransferLabel label_;
  std::string peer_;
  unsigned k_;
  SecretVector<Bits128> difference_;  // one value
  BaseReceiver base_;
};

// The set-up of the extension's receiver.
class ReceiverSetUp {
 public:
  ReceiverSetUp(const TransferLabel& label, std::string peer, unsigned k);

  [[nodiscard]] std::vector<std::byte> message() const { return base_.message(); }
  [[nodiscard]] std::pair<ExtensionReceiver, std::vector<std::byte>> finish(std::span<const std::byte> base) const;

 private:
  TransferLabel label_;
  unsigned k_;
  BaseSender base_;
};

}  // namespace sotto
