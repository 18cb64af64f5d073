// table_lookup: a function of a small masked value, by a one-time table.
//
// Functionality   an index i in Z/2^b, masked (D = i + m public, m known to the dealer), and a function f -> shares of
//                 f(lane, i) in Z/2^w. The dealer shares the rotated table T[d] = f(d - m); the parties use entry D.
//                 [one-time truth tables: Ishai et al., TCC 2013; TinyTable: Damgard et al., CRYPTO 2017]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `table_lookup`, 2^b entries in Z/2^w | 0 | 0 | 2^b w bits a lane
// Views           No role sees anything new: the entry's shares are fresh and uniform, and D was public before. Without
//                 a dealer, f must not contain secrets. With a dealer, only the dealer calls f, so f may contain
//                 secrets of the dealer.
// Ranges          b up to 16, w from 1 to 64. Throws std::invalid_argument for a larger b.
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
void require_small_index(unsigned index_bits);
}  // namespace detail

// Looks up one entry per lane. The caller's request(tables, entries) requests the entries from the preprocessing.
template <class Request>
[[nodiscard]] Arith taken_entries(const MaskedIndex& index, unsigned index_bits, unsigned ring_bits,
                                  Request&& request) {
  detail::require_small_index(index_bits);
  const Words& positions = ShareAccess::words(index);
  Words entries(positions.size(), 0);
  request(Tables{index.lanes(), index_bits, ring_bits, positions}, std::span<std::uint64_t>(entries));
  return Arith(index.shape(), 0, std::move(entries), ring_bits);
}

// f(lane, value) for value in [0, 2^b). An index from MaskedIndex::bit_range() with low > 0 may be too large: by at
// most 1 with a dealer, and by at most 3 without a dealer. `exceeds` states how much too large the index may be for f.
// Without a dealer, throws std::invalid_argument for an index from bit_range() if `exceeds` is below 3.
[[nodiscard]] Arith table_lookup(Party& party, const MaskedIndex& index, unsigned ring_bits, const TableFunction& f,
                                 unsigned exceeds = 1);

}  // namespace sotto::protocols
