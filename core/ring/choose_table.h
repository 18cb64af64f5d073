// Tables of inner loops beside those of kernels.h follow its choice: random expansion, packing and transfers the table
// that goes with it (`beside`), long work without messages (apps/) the fastest where the name is mixed.
#pragma once

#include <string_view>
#include <vector>

#include "core/ring/kernels.h"

namespace sotto {

// Of `tables`, slowest first, the fastest that is not beyond the table `name` of kernels.h: its namesake where the CPU
// runs that, else the next slower one; the fastest for any other name. Names are baseline, avx2, avx512.
template <class Table>
[[nodiscard]] const Table& table_up_to(std::string_view name, const std::vector<const Table*>& tables) {
  const Table* best = tables.front();
  for (const Table* table : tables) {
    if (best->name == name) break;
    best = table;
  }
  return *best;
}

}  // namespace sotto
