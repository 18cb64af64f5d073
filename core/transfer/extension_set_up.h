// The set-up of an extension (extension.h): 128 base transfers, in which the extension's sender chooses by its
// difference, then trees of keys of which it lacks one leaf each.
//
// Messages        sender 8,192 and receiver 4,096 bytes, neither waits for the other; then the
//                 receiver 4,096 more: of each level of each tree both sums, each under one key of a base transfer. In
//                 all 16,384, whatever k.
// Who sees what   The receiver: base transfers as their receiver's peer does. The sender: of two sums one, under a key
//                 that it lacks the other; so of each tree all leaves but the one that its k bits of the difference
//                 number, which looks uniform to it.
// Time            Some 25 ms a side, almost all of it the base transfers.
// Errors          Those of base transfers (below); ProtocolError (malformed) where the sums have another
//                 length. k other than 2, 4, 8 is std::invalid_argument.
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

// Base transfers: of each pair of random keys that one side gets, the other gets the one that it chooses. The few that
// an extension (extension.h) makes many of.
//
// Functionality   The sender gets keys k_0, k_1 a transfer, the receiver its bit's k_c.
// How             Masny and Rindal, "Endemic Oblivious Transfer" (CCS 2019), by Diffie-Hellman in ristretto255.
//                 The receiver draws r_(1-c) at random, and sends it with r_c = g^x / H_c(r_(1-c)). The sender sends A
//                 = g^y, a fresh y each transfer, and takes the keys of (r_j H_j(r_(1-j)))^y; the receiver that of A^x.
// Messages        One each way, neither waits for the other: 64 bytes a transfer of the receiver, 32 of the sender.
// Who sees what   The sender: two random elements, whatever the choice. The receiver: of k_(1-c) nothing, under CDH,
//                 the hashes random oracles. Both follow the protocol, and each influences its keys ("endemic"), which
//                 random transfers allow.
// Hashes          H_j is hash_to_group of session, sender, number of the transfer, j and the other element; the key
//                 is SHA-256 of these, both elements, A and the power, cut to 16 bytes.
// Errors          ProtocolError (malformed) where a message has another length, or an element that is none.
// Wiping          Choices, exponents and powers are wiped; the keys are seeds, which are.
// Time            Some 0.2 ms a transfer at either side.

// What both sides know of a set-up before it begins. It keeps hashes of different set-ups apart.
struct TransferLabel {
  std::array<std::byte, 16> session{};  // of the run; fresh for each
  std::uint8_t sender = 0;              // the sender's number among the roles
  std::uint64_t number = 0;             // of the set-up among those of this session and sender
};

inline constexpr std::size_t base_receiver_bytes = 64;  // a transfer
inline constexpr std::size_t base_sender_bytes = 32;

// The receiver of transfers, one a choice. `peer` is the sender's name, for errors.
class BaseReceiver {
 public:
  // `choices`: 0 or 1 each. Throws ResourceError if the operating system gives no randomness.
  BaseReceiver(const TransferLabel& label, std::string peer, SecretVector<std::uint8_t> choices);

  // To the sender.
  [[nodiscard]] std::vector<std::byte> message() const;
  // The chosen keys, from the sender's message.
  [[nodiscard]] std::vector<Seed> keys(std::span<const std::byte> from_sender) const;

 private:
  TransferLabel label_;
  std::string peer_;
  SecretVector<std::uint8_t> choices_;
  std::vector<GroupScalar> exponents_;
  std::vector<std::array<GroupElement, 2>> elements_;
};

// The sender of `count` transfers. `peer` is the receiver's name.
class BaseSender {
 public:
  BaseSender(const TransferLabel& label, std::string peer, std::size_t count);

  // To the receiver.
  [[nodiscard]] std::vector<std::byte> message() const;
  // Both keys of each transfer, from the receiver's message.
  [[nodiscard]] std::vector<std::array<Seed, 2>> keys(std::span<const std::byte> from_receiver) const;

 private:
  TransferLabel label_;
  std::string peer_;
  std::vector<GroupScalar> exponents_;
  std::vector<GroupElement> elements_;
};

inline constexpr std::size_t base_transfers = TransferKernels::columns;
inline constexpr std::size_t tree_sums_bytes = base_transfers * 2 * sizeof(Bits128);

// Of the one who will send. `peer` is the other's name, for errors.
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
  SecretVector<Bits128> difference_;  // one
  BaseReceiver base_;
};

// Of the one who will receive.
class ReceiverSetUp {
 public:
  ReceiverSetUp(const TransferLabel& label, std::string peer, unsigned k);

  [[nodiscard]] std::vector<std::byte> message() const { return base_.message(); }
  // The receiver, and the sums for the sender.
  [[nodiscard]] std::pair<ExtensionReceiver, std::vector<std::byte>> finish(std::span<const std::byte> base) const;

 private:
  TransferLabel label_;
  unsigned k_;
  BaseSender base_;
};

}  // namespace sotto
