// The set-up of an extension (extension.h): 128 base transfers, in which the extension's sender chooses by its
// difference, then trees of keys of which it lacks one leaf each.
//
// Messages        sender 8,192 and receiver 4,096 bytes (base_transfers.h), neither waits for the other; then the
//                 receiver 4,096 more: of each level of each tree both sums, each under one key of a base transfer. In
//                 all 16,384, whatever k.
// Who sees what   The receiver: base transfers as their receiver's peer does. The sender: of two sums one, under a key
//                 that it lacks the other; so of each tree all leaves but the one that its k bits of the difference
//                 number, which looks uniform to it.
// Time            Some 25 ms a side, almost all of it the base transfers.
// Errors          Those of base_transfers.h; ProtocolError (malformed) where the sums have another length. k other than
//                 2, 4, 8 is std::invalid_argument.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/transfer/base_transfers.h"
#include "core/transfer/extension.h"

namespace sotto {

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
