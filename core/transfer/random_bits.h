// Random transfers of single bits, packed 64 a word: the lowest bits of the hashes of extension.h, with its messages,
// its order and its errors.
//
// Two of them, one each way, make a triple of random bits with c = a b (Gilboa's product of bits, as Asharov, Lindell,
// Schneider and Zohner have it, CCS 2013): a is what this side chose, b the XOR of the two bits that it sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/transfer/extension.h"

namespace sotto {

// Transfers that `words` words of packed bits are.
[[nodiscard]] constexpr std::size_t bits_in_words(std::size_t words) { return 64 * words; }

// Bit i of `chosen` is the one that bit i of `choices` chooses, of 64 transfers a word. The message takes exactly
// extension_bytes(k, bits_in_words(choices.size())).
void receive_bits(ExtensionReceiver& receiver, std::span<const std::uint64_t> choices, std::span<std::uint64_t> chosen,
                  std::span<std::byte> message);
void send_bits(ExtensionSender& sender, std::span<const std::byte> message, std::span<std::uint64_t> zero,
               std::span<std::uint64_t> one);

// A side's share of triples: after receive_bits(a) -> chosen and send_bits -> zero, one, this side has b = zero ^ one,
// and as its share of c the word here; a, b, c of both sides add up by XOR to c = a b.
[[nodiscard]] inline std::uint64_t triple_share(std::uint64_t a, std::uint64_t chosen, std::uint64_t zero,
                                                std::uint64_t one) {
  return (a & (zero ^ one)) ^ zero ^ chosen;
}

}  // namespace sotto
