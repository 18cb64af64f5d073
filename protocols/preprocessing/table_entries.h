// A compute party's share of the entries that it takes from one-time tables
// (include/sotto/protocol/party/preprocessing.h): sum[lane] += share << tables.raise, in Z/2^64.
//
// Which entries are read depends on the public positions alone. The other entries are expanded a tile at a time or, by
// the last party, not touched at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {

// Of a party whose shares are expansions of its seed: takes as much of the stream as a fill of tables.entries() lanes.
void add_expanded_entries(Prg& expansion, const Tables& tables, std::span<std::uint64_t> sum);

// Of the party whose shares are corrections: `packed` holds tables.entries() lanes.
void add_packed_entries(std::span<const std::byte> packed, const Tables& tables, std::span<std::uint64_t> sum);

}  // namespace sotto::protocols
