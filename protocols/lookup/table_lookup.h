// table_lookup: a function of a small masked value, by a one-time table.
//
// Functionality   an index i in Z/2^b, masked (D = i + m public, m known to the dealer), and a
//                 function known to the dealer -> shares of f(i) in Z/2^w. The dealer shares the rotated table T[d] =
//                 f(d - m); the parties take entry D. [one-time truth tables: Ishai et al., TCC 2013; TinyTable:
//                 Damgard et al., CRYPTO 2017]
// Rounds, bytes   none; dealt: 2^b w bits a lane.
// Who sees what   nothing: the entry's shares are fresh and uniform, D was public before. f may
//                 hold secrets of the dealer (a private sample), which then stay hidden.
// Ranges          b up to 16 (std::invalid_argument), w from 1 to 64.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "sotto/core/party/party.h"
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/masked.h"
#include "sotto/core/sharing/share_access.h"

namespace sotto::protocols {

namespace detail {
void require_small_index(unsigned index_bits);
[[nodiscard]] Arith finish_entries(Shape shape, Words entries, unsigned ring_bits);
}  // namespace detail

// The general form: fill(first, count, out) writes the tables of `count` lanes one after the other, as
// Correlations::deal_tables has it; the bits of `index` from `index_bits` on choose no entry. Runs at the dealer only.
template <class Fill>
[[nodiscard]] Arith fill_tables(Party& party, const MaskedIndex& index, unsigned index_bits, unsigned ring_bits,
                                Fill&& fill) {
  detail::require_small_index(index_bits);
  const Words& positions = ShareAccess::words(index);
  Words entries(positions.size(), 0);
  const Tables tables{index.lanes(), index_bits, ring_bits, positions};
  party.correlations().deal_tables(tables, entries, 0, fill);
  return detail::finish_entries(index.shape(), std::move(entries), ring_bits);
}

// entry(lane, d, m) is the table at public index d where the mask of the lane is m. Runs at the dealer only.
template <class Entry>
[[nodiscard]] Arith one_time_table(Party& party, const MaskedIndex& index, unsigned ring_bits, Entry&& entry) {
  const Words& masks = ShareAccess::mask(index);
  const std::size_t size = std::size_t{1} << index.bits();
  return fill_tables(party, index, index.bits(), ring_bits, [&](std::size_t first, std::size_t count, auto* out) {
    for (std::size_t lane = first; lane < first + count; ++lane) {
      const std::uint64_t m = masks[lane];
      for (std::size_t d = 0; d < size; ++d) {
        *out++ = static_cast<std::remove_reference_t<decltype(*out)>>(entry(lane, d, m));
      }
    }
  });
}

// f(lane, value) for value in [0, 2^b). Runs at the dealer only.
template <class Function>
[[nodiscard]] Arith table_lookup(Party& party, const MaskedIndex& index, unsigned ring_bits, Function&& f) {
  const std::uint64_t ring = (std::uint64_t{1} << index.bits()) - 1;
  return one_time_table(party, index, ring_bits, [&](std::size_t lane, std::uint64_t d, std::uint64_t m) {
    return static_cast<std::uint64_t>(f(lane, (d - m) & ring));
  });
}

}  // namespace sotto::protocols
