#include "protocols/preprocessing/recorded/piece_protocols.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/wire/bit_pack.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {

BitPieces PieceProtocols::uniform_bits(std::size_t lanes) {
  WordPieces words = uniform(plane_words(lanes), 64);
  return BitPieces{lanes, std::move(words.own), std::move(words.next)};
}

BitPieces PieceProtocols::zero_bits(std::size_t lanes) const {
  const Words zeros(self_ ? plane_words(lanes) : 0, 0);
  return BitPieces{lanes, zeros, pieces() == 2 ? zeros : Words{}};
}

namespace {

void add_words(Words& to, const Words& from, std::uint64_t ring) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] + from[i]) & ring;
}

void xor_words(Words& to, const Words& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= from[i];
}

}  // namespace

Words slice(const Words& words, std::size_t first, std::size_t count) {
  if (words.empty()) return {};
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  return Words(begin, begin + static_cast<std::ptrdiff_t>(count));
}

WordPieces operator+(WordPieces x, const WordPieces& y) {
  require_argument(x.lanes == y.lanes && x.bits == y.bits, "a sum of pieces of other sizes");
  add_words(x.own, y.own, ring_mask(x.bits));
  add_words(x.next, y.next, ring_mask(x.bits));
  return x;
}

BitPieces operator^(BitPieces x, const BitPieces& y) {
  require_argument(x.lanes == y.lanes, "an XOR of pieces of other sizes");
  xor_words(x.own, y.own);
  xor_words(x.next, y.next);
  return x;
}

TableShares part_of(const TableShares& table, std::size_t first, std::size_t count) {
  if (!lie_in_bytes(table.bits)) return {table.bits, slice(table.words, first, count)};
  TableShares part{table.bits, {}};
  if (table.words.empty()) return part;
  part.words.assign(entry_words(count, table.bits), 0);
  std::memcpy(part.words.data(), reinterpret_cast<const std::byte*>(table.words.data()) + first, count);
  return part;
}

TableShares by_lane(const PoolVector<Additive>& by_entry, unsigned bits) {
  const std::size_t size = by_entry.size();
  const std::size_t lanes = by_entry[0].words.size();
  TableShares result{bits, Words(entry_words(lanes * size, bits))};
  if (!result.words.empty()) result.words.back() = 0;
  constexpr std::size_t tile = 32;
  with_entries(result, [&]<class Entry>(Entry* entries) {
    for (std::size_t first = 0; first < lanes; first += tile) {
      const std::size_t end = std::min(first + tile, lanes);
      for (std::size_t j = 0; j < size; ++j) {
        const std::uint64_t* const from = by_entry[j].words.data();
        for (std::size_t i = first; i < end; ++i) entries[i * size + j] = static_cast<Entry>(from[i]);
      }
    }
  });
  return result;
}

Additive as_words(const TableShares& table, std::size_t count) {
  if (table.words.empty() || !lie_in_bytes(table.bits)) return Additive{table.words};
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(table.words.data());
  return Additive{Words(bytes, bytes + count)};
}

Words packed(const TableShares& table, std::size_t count) {
  if (!lie_in_bytes(table.bits)) return pack_bits(table.words, table.bits);
  if (table.words.empty()) return {};
  Words result(packed_words(count, table.bits), 0);
  pack_bytes({reinterpret_cast<const std::uint8_t*>(table.words.data()), count}, table.bits,
             reinterpret_cast<std::byte*>(result.data()));
  return result;
}

TableShares unpacked(const Words& packed, std::size_t count, unsigned bits) {
  if (!lie_in_bytes(bits)) return {bits, unpack_bits(packed, count, bits)};
  TableShares table{bits, {}};
  if (packed.empty()) return table;
  table.words.assign(entry_words(count, bits), 0);
  unpack_bytes(reinterpret_cast<const std::byte*>(packed.data()), bits,
               {reinterpret_cast<std::uint8_t*>(table.words.data()), count});
  return table;
}

}  // namespace sotto::protocols
