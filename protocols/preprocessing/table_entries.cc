#include "protocols/preprocessing/table_entries.h"

#include <algorithm>
#include <cstring>

#include "core/wire/bit_pack.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t tile_bytes = 16384;

template <class Raw>
void add_expanded(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum) {
  const std::size_t table_bytes = tables.size() * sizeof(Raw);
  const std::size_t step = std::max<std::size_t>(1, tile_bytes / table_bytes);
  const std::uint64_t index_mask = tables.size() - 1;
  const std::uint64_t ring = ring_mask(tables.bits);
  PoolVector<std::byte> tile(std::min(step, tables.lanes) * table_bytes);
  for (std::size_t first = 0; first < tables.lanes; first += step) {
    const std::size_t count = std::min(step, tables.lanes - first);
    expansion.bytes(std::span(tile).first(count * table_bytes));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t entry = (tables.positions[first + i] >> tables.low) & index_mask;
      Raw raw;
      std::memcpy(&raw, tile.data() + i * table_bytes + entry * sizeof(Raw), sizeof(Raw));
      sum[first + i] += (raw & ring) << tables.raise;
    }
  }
}

}  // namespace

void add_expanded_entries(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum) {
  switch (stream_bytes(tables.bits)) {
    case 1:
      return add_expanded<std::uint8_t>(expansion, tables, sum);
    case 2:
      return add_expanded<std::uint16_t>(expansion, tables, sum);
    case 4:
      return add_expanded<std::uint32_t>(expansion, tables, sum);
    default:
      return add_expanded<std::uint64_t>(expansion, tables, sum);
  }
}

void add_packed_entries(std::span<const std::byte> packed, const Tables& tables, std::span<std::uint64_t> sum) {
  const std::uint64_t index_mask = tables.size() - 1;
  for (std::size_t lane = 0; lane < tables.lanes; ++lane) {
    const std::size_t entry = (tables.positions[lane] >> tables.low) & index_mask;
    sum[lane] += packed_lane(packed, tables.bits, (lane << tables.index_bits) + entry) << tables.raise;
  }
}

}  // namespace sotto::protocols
