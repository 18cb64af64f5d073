#pragma once

#include "core/transfer/extension_set_up.h"
#include "sotto/protocol/random/prg.h"
#include "tests/framework.h"

namespace sotto::testing {

struct TwoSides {
  ExtensionSender sender;
  ExtensionReceiver receiver;
};

inline TwoSides set_up(unsigned k) {
  const TransferLabel label;
  const SenderSetUp sender(label, "receiver", k);
  const ReceiverSetUp receiver(label, "sender", k);
  auto [extended, sums] = receiver.finish(sender.message());
  return {sender.finish(receiver.message(), sums), std::move(extended)};
}

inline std::vector<std::uint64_t> random_words(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

}  // namespace sotto::testing
