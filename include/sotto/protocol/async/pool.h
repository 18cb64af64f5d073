// A free list of memory blocks for each thread. After the first steps of a program, the pool never asks the system for
// memory. Sanitizer builds pool nothing, so that the sanitizers see each use of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// Returns at least `size` bytes, aligned to a cache line.
[[nodiscard]] void* pool_allocate(std::size_t size);

// Any thread may call this function.
void pool_release(void* block, std::size_t size) noexcept;

[[nodiscard]] std::uint64_t pool_system_requests() noexcept;

[[nodiscard]] bool pool_is_pooling() noexcept;

// A standard allocator on the pool. New elements of trivial types stay uninitialised, because every protocol writes all
// of its outputs.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  // NOLINTBEGIN(bugprone-sizeof-expression): a T may be a pointer
  T* allocate(std::size_t count) { return static_cast<T*>(pool_allocate(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { pool_release(block, count * sizeof(T)); }
  // NOLINTEND(bugprone-sizeof-expression)

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(static_cast<Arguments&&>(arguments)...);
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
};

// A vector whose storage comes from the pool.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;
using Bytes = PoolVector<std::byte>;      // frames and chunks
using Words = PoolVector<std::uint64_t>;  // ring elements

// Large blocks of memory from the system, on huge pages where possible, because page faults and address look-ups on
// small pages cost more time than the work on the bytes.

// Returns at least `bytes` bytes, aligned to a huge page (2 MiB).
[[nodiscard]] void* map_large(std::size_t bytes);

void unmap_large(void* block, std::size_t bytes) noexcept;

void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace sotto
