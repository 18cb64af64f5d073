// table_lookup: computes a function of a small masked value, by a look-up in a one-time table.
//
// Functionality   an index i in Z/2^b, masked (D = i + m public, m known to the dealer), and a function f -> shares of
//                 f(lane, i) in Z/2^w. The dealer shares the rotated table T[d] = f(d - m); the parties take entry D.
//                 [one-time truth tables: Ishai et al., TCC 2013; TinyTable: Damgard et al., CRYPTO 2017]
// Costs           `table_lookup`, 2^b entries in Z/2^w | 0 | 0 | 2^b w bits a lane
// Rounds, bytes   none; dealt: 2^b w bits per lane.
// Views           nothing new: the entry's shares are fresh and uniform, and D was public before. The function f runs
//                 at the dealer only. The function f may contain secrets of the dealer (a private sample), which stay
//                 hidden. Without a dealer, f must not contain secrets.
// Ranges          b up to 16 (std::invalid_argument), w from 1 to 64.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

namespace detail {
// Throws std::invalid_argument if `index_bits` is above 16.
void require_small_index(unsigned index_bits);
}  // namespace detail

// For primitives: looks up one entry per lane, at the position in the low `index_bits` bits of the index's public word.
// request(tables, entries) must request the entries from the preprocessing.
template <class Request>
[[nodiscard]] Arith taken_entries(const MaskedIndex& index, unsigned index_bits, unsigned ring_bits,
                                  Request&& request) {
  detail::require_small_index(index_bits);
  const Words& positions = ShareAccess::words(index);
  Words entries(positions.size(), 0);
  request(Tables{index.lanes(), index_bits, ring_bits, positions}, std::span<std::uint64_t>(entries));
  return Arith(index.shape(), 0, std::move(entries), ring_bits);
}

// f(lane, value) for value in [0, 2^b). An index may consist of the bits of a masked value from bit `low` on. Unless
// `low` is 0, such an index may be too large: by up to 1 with a dealer, and by up to 3 without a dealer. `exceeds` is
// the largest such error that f allows for. Without a dealer, an `exceeds` below 3 is refused (std::invalid_argument).
[[nodiscard]] Arith table_lookup(Party& party, const MaskedIndex& index, unsigned ring_bits, const TableFunction& f,
                                 unsigned exceeds = 1);

}  // namespace sotto::protocols
