#include "core/async/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace sotto {

void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept {
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + huge - 1) / huge * huge;
  const std::uintptr_t last = (address + bytes) / huge * huge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace sotto
