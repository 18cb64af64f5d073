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
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/random/secret_vector.h"
#include "sotto/protocol/group/ristretto.h"
#include "sotto/protocol/random/seed.h"

namespace sotto {

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

}  // namespace sotto
