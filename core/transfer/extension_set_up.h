// The set-up of an extension (extension.h). First come 128 base transfers, in which the bits of the difference decide
// what the extension's sender chooses. Then come trees of keys. The sender lacks one leaf of each tree.
//
// Messages        The sender sends 8,192 bytes and the receiver sends 4,096 bytes; neither side waits for the other.
//                 The receiver then sends 4,096 bytes more: both sums of each level of each tree, each encrypted under
//                 one key of a base transfer. The set-up takes 16,384 bytes in all, for every k.
// Views           The receiver sees what the sender of base transfers sees (see below). The sender sees one of every
//                 two sums, because it lacks the key of the other sum. So the sender gets all leaves of each tree
//                 except one, which looks uniform to the sender. The number of the missing leaf is the tree's k bits of
//                 the difference.
// Time            About 25 ms a side, almost all of it for the base transfers.
// Errors          The errors of base transfers (see below). ProtocolError (malformed) if the sums have a wrong length.
//                 std::invalid_argument if k is not 2, 4 or 8.
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

// Base transfers: one side gets pairs of random keys, and the other side gets from each pair the key that it chooses.
// An extension (extension.h) makes many transfers from a few base transfers.
//
// Functionality   In each transfer the sender gets keys k_0 and k_1, and the receiver gets k_c for its bit c.
// How             Masny and Rindal, "Endemic Oblivious Transfer" (CCS 2019), by Diffie-Hellman in ristretto255. The
//                 receiver draws r_(1-c) at random and sends it with r_c = g^x / H_c(r_(1-c)). The sender sends A =
//                 g^y, a fresh y for each transfer, and derives the keys from (r_j H_j(r_(1-j)))^y. The receiver
//                 derives its key from A^x.
// Messages        One in each direction; neither side waits for the other. The receiver sends 64 bytes for each
//                 transfer, and the sender sends 32 bytes.
// Views           The sender sees two random elements, whatever the choice. The receiver learns nothing of k_(1-c),
//                 under CDH with the hashes as random oracles. Both sides must follow the protocol. Each side can
//                 influence its keys ("endemic"); random transfers allow that.
// Hashes          H_j is hash_to_group of session, sender, number of the transfer, j and the other element. The key is
//                 SHA-256 of session, sender, number of the transfer, j, both elements, A and the power, cut to 16
//                 bytes.
// Errors          ProtocolError (malformed) if a message has a wrong length or contains an invalid element.
// Wiping          Choices, exponents and powers are wiped. Keys are seeds, which wipe themselves.
// Time            About 0.2 ms a transfer at either side.

// The facts that both sides know of a set-up before it begins, and that make the hashes of different set-ups differ.
struct TransferLabel {
  std::array<std::byte, 16> session{};  // the session of the run; fresh for each run
  std::uint8_t sender = 0;              // the sender's number among the roles
  std::uint64_t number = 0;             // the number of the set-up for this session and sender
};

inline constexpr std::size_t base_receiver_bytes = 64;  // bytes for each transfer
inline constexpr std::size_t base_sender_bytes = 32;

// The receiver of transfers, one transfer for each choice. `peer` is the sender's name, for errors.
class BaseReceiver {
 public:
  // `choices`: 0 or 1 each. Throws ResourceError if the operating system gives no randomness.
  BaseReceiver(const TransferLabel& label, std::string peer, SecretVector<std::uint8_t> choices);

  // The message to the sender.
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

  // The message to the receiver.
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

// The set-up of the extension's sender. `peer` is the receiver's name, for errors.
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
  SecretVector<Bits128> difference_;  // a single value
  BaseReceiver base_;
};

// The set-up of the extension's receiver. `peer` is the sender's name, for errors.
class ReceiverSetUp {
 public:
  ReceiverSetUp(const TransferLabel& label, std::string peer, unsigned k);

  [[nodiscard]] std::vector<std::byte> message() const { return base_.message(); }
  // The extension's receiver, and the sums to send to the sender.
  [[nodiscard]] std::pair<ExtensionReceiver, std::vector<std::byte>> finish(std::span<const std::byte> base) const;

 private:
  TransferLabel label_;
  unsigned k_;
  BaseSender base_;
};

}  // namespace sotto
