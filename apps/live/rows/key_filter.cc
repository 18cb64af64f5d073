#include "apps/live/rows/key_filter.h"

#include <algorithm>
#include <bit>

#include "apps/live/rows/row_cache.h"

namespace sotto::apps::live {
namespace {

constexpr std::size_t bits_a_key = 16;
constexpr std::size_t fewest_keys = std::size_t{1} << 16;
constexpr unsigned bits_of_word = 64;

// Four bits of one word: a look costs one cache line.
std::uint64_t bits_of(std::uint64_t hash) noexcept {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= std::uint64_t{1} << (hash >> (6 * i) & (bits_of_word - 1));
  return bits;
}

std::size_t word_of(std::uint64_t hash, std::size_t words) noexcept { return (hash >> 24) & (words - 1); }

}  // namespace

KeyFilter::KeyFilter(std::size_t keys)
    : words_(std::bit_ceil(bits_a_key * std::max(keys, fewest_keys)) / bits_of_word) {}

void KeyFilter::add(const RowKey& key) noexcept {
  const std::uint64_t hash = RowKeyHash()(key);
  const std::uint64_t bits = bits_of(hash);
  std::uint64_t& word = words_[word_of(hash, words_.size())];
  if ((word & bits) != bits) ++keys_;
  word |= bits;
}

bool KeyFilter::may_hold(const RowKey& key) const noexcept {
  const std::uint64_t hash = RowKeyHash()(key);
  const std::uint64_t bits = bits_of(hash);
  return (words_[word_of(hash, words_.size())] & bits) == bits;
}

bool KeyFilter::is_full() const noexcept { return keys_ * bits_a_key >= words_.size() * bits_of_word; }

}  // namespace sotto::apps::live
