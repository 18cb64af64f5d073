#include "sotto/protocol/lookup/table_lookup.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto::protocols {

void detail::require_small_index(unsigned index_bits) {
  if (index_bits > 16) {
    throw std::invalid_argument(fmt::format("a table of 2^{} entries: cut the index into digits", index_bits));
  }
}

Arith table_lookup(Party& party, const MaskedIndex& index, unsigned ring_bits, const TableFunction& f,
                   unsigned exceeds) {
  return taken_entries(index, index.bits(), ring_bits, [&](Tables tables, std::span<std::uint64_t> entries) {
    tables.exceeds = exceeds;
    party.preprocessing().table(tables, ShareAccess::mask(index), f, entries);
  });
}

}  // namespace sotto::protocols
