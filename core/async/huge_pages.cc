#include "sotto/core/async/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <limits>
#include <new>

namespace sotto {
namespace {

constexpr std::size_t huge = std::size_t{2} << 20;

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + huge - 1) / huge * huge; }

// From `at` to the next multiple of a huge page, which may be `at` itself.
std::size_t bytes_to_boundary(const void* at) {
  const auto address = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(at));
  return rounded_up(address) - address;
}

void unmap(std::byte* begin, std::size_t bytes) noexcept {
  if (bytes > 0) munmap(begin, bytes);
}

}  // namespace

void* map_large(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * huge) throw std::bad_alloc();
  const std::size_t size = rounded_up(bytes);
  void* const mapped = mmap(nullptr, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = bytes_to_boundary(begin);
  unmap(begin, before);
  unmap(begin + before + size, huge - before);
  ask_for_huge_pages(begin + before, size);
  return begin + before;
}

void unmap_large(void* block, std::size_t bytes) noexcept { unmap(static_cast<std::byte*>(block), rounded_up(bytes)); }

void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept {
  const std::size_t before = bytes_to_boundary(begin);
  if (bytes < before + huge) return;
  madvise(static_cast<std::byte*>(begin) + before, (bytes - before) / huge * huge, MADV_HUGEPAGE);
}

}  // namespace sotto
