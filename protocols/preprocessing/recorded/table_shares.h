// Additive shares of the entries of tables. Most of what is made ahead are entries of a few bits: those of up to 8 bits
// lie in bytes, eight to a word, and all others in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/masks.h"

namespace sotto::protocols {

// Entry j of lane i is entry i s + j of tables of s entries, in Z/2^bits. A role without words has zeros, or holds
// nothing.
struct TableShares {
  unsigned bits = 64;
  Words words;
};

[[nodiscard]] constexpr bool lie_in_bytes(unsigned bits) { return bits <= 8; }
[[nodiscard]] constexpr std::size_t entry_words(std::size_t entries, unsigned bits) {
  return lie_in_bytes(bits) ? (entries + 7) / 8 : entries;
}

// Calls f with a pointer to the entries: of std::uint8_t or of std::uint64_t.
template <class SharesOrConst, class F>
auto with_entries(SharesOrConst& shares, F&& f) {
  using Byte = std::conditional_t<std::is_const_v<SharesOrConst>, const std::uint8_t, std::uint8_t>;
  if (lie_in_bytes(shares.bits)) return f(reinterpret_cast<Byte*>(shares.words.data()));
  return f(shares.words.data());
}

// `count` entries from `first` on; nothing of nothing.
[[nodiscard]] TableShares part_of(const TableShares& table, std::size_t first, std::size_t count);

// Entry j of lane i is word i of number j, mod 2^bits at least.
[[nodiscard]] TableShares by_lane(const PoolVector<Additive>& by_entry, unsigned bits);

// A word an entry.
[[nodiscard]] Additive as_words(const TableShares& table, std::size_t count);

// Entries packed without gaps, as they travel, and back. Both keep an empty vector empty.
[[nodiscard]] Words packed(const TableShares& table, std::size_t count);
[[nodiscard]] TableShares unpacked(const Words& packed, std::size_t count, unsigned bits);

}  // namespace sotto::protocols
