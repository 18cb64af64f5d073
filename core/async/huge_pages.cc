#include "core/async/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <limits>
#include <new>

namespace sotto {
namespace {

constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;

constexpr std::uintptr_t up(std::uintptr_t address) { return (address + huge - 1) / huge * huge; }

void unmap(std::uintptr_t begin, std::uintptr_t end) noexcept {
  if (begin < end) munmap(reinterpret_cast<void*>(begin), end - begin);
}

}  // namespace

void* map_large(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * huge) throw std::bad_alloc();
  const std::size_t size = up(bytes);
  void* const mapped =
      mmap(nullptr, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t block = up(begin);
  unmap(begin, block);
  unmap(block + size, begin + size + huge);
  ask_for_huge_pages(reinterpret_cast<void*>(block), size);
  return reinterpret_cast<void*>(block);
}

void unmap_large(void* block, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  unmap(begin, begin + up(bytes));
}

void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = up(address);
  const std::uintptr_t last = (address + bytes) / huge * huge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace sotto
