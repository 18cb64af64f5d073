#include "protocols/preprocessing/recorded/table_shares.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/wire/bit_pack.h"
#include "protocols/preprocessing/recorded/pieces.h"
#include "sotto/protocol/boolean/packed_bits.h"

namespace sotto::protocols {

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
  if (!result.words.empty()) result.words.back() = 0;  // behind the last entry
  // So many lanes at a time that their tables stay in the cache.
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
