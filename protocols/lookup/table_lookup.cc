#include "sotto/protocols/lookup/table_lookup.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace sotto::protocols::detail {

void require_small_index(unsigned index_bits) {
  if (index_bits > 16) {
    throw std::invalid_argument(fmt::format("a table of 2^{} entries: cut the index into digits", index_bits));
  }
}

Arith finish_entries(Shape shape, Words entries, unsigned ring_bits) {
  return Arith(shape, 0, std::move(entries), ring_bits);
}

}  // namespace sotto::protocols::detail
