#include "core/transfer/random_bits.h"

#include <algorithm>

#include "core/random/secret_vector.h"
#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

using Word = std::uint64_t;

constexpr std::size_t words_at_once = ExtensionTrees::at_once / 64;

// out[i] = the lowest bits of the words 64 i .. 64 i + 63.
void pack_lowest(std::span<const Word> words, std::span<Word> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Word bits = 0;
    for (std::size_t j = 0; j < 64; ++j) bits |= (words[64 * i + j] & 1) << j;
    out[i] = bits;
  }
}

// Calls part(from, words, first byte, bytes) for parts of the packed words.
template <class Part>
void in_word_parts(unsigned k, std::size_t words, Part part) {
  for (std::size_t from = 0; from < words; from += words_at_once) {
    const std::size_t count = std::min(words_at_once, words - from);
    part(from, count, extension_bytes(k, bits_in_words(from)), extension_bytes(k, bits_in_words(count)));
  }
}

}  // namespace

void receive_bits(ExtensionReceiver& receiver, std::span<const Word> choices, std::span<Word> chosen,
                  std::span<std::byte> message) {
  require_argument(
      choices.size() == chosen.size() && message.size() == extension_bytes(receiver.k(), bits_in_words(choices.size())),
      "as many choices as bits, and a message of its bytes");
  SecretVector<Word> words(std::min(bits_in_words(choices.size()), ExtensionTrees::at_once));
  in_word_parts(receiver.k(), choices.size(),
                [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
                  const auto part = std::span(words).first(bits_in_words(count));
                  receiver.random(choices.subspan(from, count), 1, part, message.subspan(first_byte, bytes));
                  pack_lowest(part, chosen.subspan(from, count));
                });
}

void send_bits(ExtensionSender& sender, std::span<const std::byte> message, std::span<Word> zero, std::span<Word> one) {
  require_argument(
      zero.size() == one.size() && message.size() == extension_bytes(sender.k(), bits_in_words(zero.size())),
      "as many of both bits, and a message of its bytes");
  SecretVector<Word> zeros(std::min(bits_in_words(zero.size()), ExtensionTrees::at_once));
  SecretVector<Word> ones(zeros.size());
  in_word_parts(sender.k(), zero.size(),
                [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
                  const auto of_zero = std::span(zeros).first(bits_in_words(count));
                  const auto of_one = std::span(ones).first(bits_in_words(count));
                  sender.random(message.subspan(first_byte, bytes), 1, of_zero, of_one);
                  pack_lowest(of_zero, zero.subspan(from, count));
                  pack_lowest(of_one, one.subspan(from, count));
                });
}

}  // namespace sotto
