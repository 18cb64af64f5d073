#include "protocols/lookup/look_up.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto::protocols::detail {

void require_small_index(const MaskedIndex& index) {
  if (index.bits() > 16) {
    throw std::invalid_argument(
        fmt::format("a table of 2^{} entries: cut the index into digits", index.bits()));
  }
}

Arith take_entries(const MaskedIndex& index, const Words& tables, unsigned ring_bits) {
  const Words& positions = ShareAccess::words(index);
  Words entries(positions.size());
  for (std::size_t lane = 0; lane < entries.size(); ++lane) {
    entries[lane] = tables[(lane << index.bits()) + positions[lane]];
  }
  return Arith(index.shape(), 0, std::move(entries), ring_bits);
}

}  // namespace sotto::protocols::detail
