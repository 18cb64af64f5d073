#include "core/transfer/extension.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/random/secret_vector.h"
#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

using Word = std::uint64_t;

constexpr std::size_t bits_in_word = 64;

std::size_t bytes_of_bits(std::size_t bits) { return (bits + 7) / 8; }

void check_message(unsigned k, std::size_t transfers, std::size_t bytes) {
  require_argument(bytes == extension_bytes(k, transfers), "a message of extension_bytes(k, transfers)");
}

template <class Part>
void in_parts(unsigned k, std::size_t rows, Part part) {
  for (std::size_t from = 0; from < rows; from += ExtensionTrees::at_once) {
    const std::size_t count = std::min(ExtensionTrees::at_once, rows - from);
    part(from, count, extension_bytes(k, from), extension_bytes(k, count));
  }
}

std::size_t words_of_bits(std::size_t bits) { return (bits + bits_in_word - 1) / bits_in_word; }

void add_bits(std::span<Word> words, std::span<const Word> bits, std::size_t count) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= bits[i];
  const std::size_t rest = count % bits_in_word;
  if (rest != 0) words[count / bits_in_word] &= (Word{1} << rest) - 1;
}

// The number of hashes for `width` words. One hash has two words, and each hash has its own tweak.
std::size_t blocks_of(std::size_t width) { return (width + 1) / 2; }

constexpr std::size_t hashed_at_once = 512;

template <class Part>
void in_blocks(std::size_t rows, std::size_t blocks, Part part) {
  const std::size_t most = std::max<std::size_t>(1, hashed_at_once / blocks);
  for (std::size_t from = 0; from < rows; from += most) part(from, std::min(most, rows - from));
}

std::span<const Bits128> repeated(std::span<const Bits128> rows, std::size_t blocks, SecretVector<Bits128>& space) {
  if (blocks == 1) return rows;
  space.resize(rows.size() * blocks);
  for (std::size_t i = 0; i < rows.size(); ++i) std::fill_n(space.data() + i * blocks, blocks, rows[i]);
  return space;
}

void take_words(std::span<const Bits128> blocks, std::size_t width, std::span<Word> out) {
  if (width == 1) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = blocks[i].word[0];
    return;
  }
  const std::size_t each = blocks_of(width);
  for (std::size_t i = 0; i * width < out.size(); ++i) {
    std::memcpy(out.data() + i * width, blocks.data() + i * each, width * sizeof(Word));
  }
}

constexpr std::size_t words_at_once = ExtensionTrees::at_once / 64;

void pack_lowest(std::span<const Word> words, std::span<Word> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Word bits = 0;
    for (std::size_t j = 0; j < 64; ++j) bits |= (words[64 * i + j] & 1) << j;
    out[i] = bits;
  }
}

template <class Part>
void in_word_parts(unsigned k, std::size_t words, Part part) {
  for (std::size_t from = 0; from < words; from += words_at_once) {
    const std::size_t count = std::min(words_at_once, words - from);
    part(from, count, extension_bytes(k, bits_in_words(from)), extension_bytes(k, bits_in_words(count)));
  }
}

}  // namespace

ExtensionTrees::ExtensionTrees(unsigned k, std::vector<LeafSums> trees)
    : k_(k),
      trees_(std::move(trees)),
      all_(LeafSums::most_groups * LeafSums::group_words),
      columns_(TransferKernels::columns * stride),
      last_rows_(TransferKernels::group),
      space_(at_once),
      kernels_(transfer_kernels()) {
  require_argument(is_extension_parameter(k), "k of 2, 4 or 8");
  require_argument(trees_.size() == TransferKernels::columns / k, "128 / k trees");
}

std::span<Word> ExtensionTrees::next(std::size_t tree, std::size_t count) {
  constexpr std::size_t group = bits_in_word * LeafSums::group_words;
  trees_[tree].next((count + group - 1) / group, all_.data(), column(tree, 0), stride);
  return std::span(all_).first(words_of_bits(count));
}

void ExtensionTrees::rows(std::span<Bits128> rows) {
  constexpr std::size_t group = TransferKernels::group;
  const std::size_t groups = rows.size() / group;
  const auto bytes = [](Bits128* to) { return reinterpret_cast<unsigned char*>(to); };
  kernels_.transpose(bytes(rows.data()), columns_.data(), stride, groups);
  const auto rest = rows.subspan(groups * group);
  if (rest.empty()) return;
  kernels_.transpose(bytes(last_rows_.data()), columns_.data() + groups * group / bits_in_word, stride, 1);
  std::copy_n(last_rows_.begin(), rest.size(), rest.begin());
}

ExtensionReceiver::ExtensionReceiver(unsigned k, std::vector<LeafSums> trees, TransferHash hash, Tweaks tweaks)
    : trees_(k, std::move(trees)), hash_(std::move(hash)), tweaks_(std::move(tweaks)) {}

void ExtensionReceiver::next(std::span<const Word> choices, std::span<Bits128> rows, std::span<std::byte> message) {
  const std::size_t bytes = bytes_of_bits(rows.size());
  for (std::size_t tree = 0; tree < trees_.trees(); ++tree) {
    const auto all = trees_.next(tree, rows.size());
    add_bits(all, choices, rows.size());
    std::memcpy(message.data() + tree * bytes, all.data(), bytes);
  }
  trees_.rows(rows);
}

TweakRange ExtensionReceiver::correlated(std::span<const Word> choices, std::span<Bits128> rows,
                                         std::span<std::byte> message) {
  require_argument(choices.size() == words_of_bits(rows.size()), "a choice for each row");
  check_message(k(), rows.size(), message.size());
  in_parts(k(), rows.size(), [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
    next(choices.subspan(from / bits_in_word), rows.subspan(from, count), message.subspan(first_byte, bytes));
  });
  return tweaks_.take(rows.size());
}

void ExtensionReceiver::random(std::span<const Word> choices, std::size_t width, std::span<Word> chosen,
                               std::span<std::byte> message) {
  require_argument(width != 0 && chosen.size() % width == 0, "`width` words for each transfer");
  const std::size_t transfers = chosen.size() / width;
  require_argument(choices.size() == words_of_bits(transfers), "a choice for each transfer");
  check_message(k(), transfers, message.size());
  const std::size_t blocks = blocks_of(width);
  SecretVector<Bits128> copies;
  SecretVector<Bits128> hashed;
  in_parts(k(), transfers, [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
    const auto rows = trees_.space(count);
    next(choices.subspan(from / bits_in_word), rows, message.subspan(first_byte, bytes));
    in_blocks(count, blocks, [&](std::size_t first, std::size_t some) {
      const auto own = repeated(rows.subspan(first, some), blocks, copies);
      hashed.resize(own.size());
      hash_.one(tweaks_.take(own.size()), own, hashed);
      take_words(hashed, width, chosen.subspan((from + first) * width, some * width));
    });
  });
}

ExtensionSender::ExtensionSender(unsigned k, std::vector<LeafSums> trees, const Bits128& difference, TransferHash hash,
                                 Tweaks tweaks)
    : trees_(k, std::move(trees)), difference_{difference}, hash_(std::move(hash)), tweaks_(std::move(tweaks)) {}

void ExtensionSender::next(std::span<const std::byte> message, std::span<Bits128> rows) {
  const std::size_t bytes = bytes_of_bits(rows.size());
  std::array<Word, ExtensionTrees::at_once / bits_in_word> received{};
  for (std::size_t tree = 0; tree < trees_.trees(); ++tree) {
    const auto words = trees_.next(tree, rows.size()).size();
    std::memcpy(received.data(), message.data() + tree * bytes, bytes);
    for (unsigned bit = 0; bit < k(); ++bit) {
      const std::size_t number = tree * k() + bit;
      const Word mask = 0 - (difference().word[number / bits_in_word] >> number % bits_in_word & 1);
      Word* column = trees_.column(tree, bit);
      for (std::size_t i = 0; i < words; ++i) column[i] ^= received[i] & mask;
    }
  }
  trees_.rows(rows);
}

TweakRange ExtensionSender::correlated(std::span<const std::byte> message, std::span<Bits128> rows) {
  check_message(k(), rows.size(), message.size());
  in_parts(k(), rows.size(), [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
    next(message.subspan(first_byte, bytes), rows.subspan(from, count));
  });
  return tweaks_.take(rows.size());
}

void ExtensionSender::random(std::span<const std::byte> message, std::size_t width, std::span<Word> zero,
                             std::span<Word> one) {
  require_argument(width != 0 && zero.size() % width == 0 && zero.size() == one.size(),
                   "`width` words of both for each transfer");
  const std::size_t transfers = zero.size() / width;
  check_message(k(), transfers, message.size());
  const std::size_t blocks = blocks_of(width);
  SecretVector<Bits128> copies;
  SecretVector<Bits128> hashed;
  SecretVector<Bits128> other;
  in_parts(k(), transfers, [&](std::size_t from, std::size_t count, std::size_t first_byte, std::size_t bytes) {
    const auto rows = trees_.space(count);
    next(message.subspan(first_byte, bytes), rows);
    in_blocks(count, blocks, [&](std::size_t first, std::size_t some) {
      const auto own = repeated(rows.subspan(first, some), blocks, copies);
      hashed.resize(own.size());
      other.resize(own.size());
      hash_.both(tweaks_.take(own.size()), own, difference(), hashed, other);
      take_words(hashed, width, zero.subspan((from + first) * width, some * width));
      take_words(other, width, one.subspan((from + first) * width, some * width));
    });
  });
}

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
