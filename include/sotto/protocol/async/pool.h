// A thread's free list of memory blocks, for coroutine frames and the storage of values.
//
// A step of a program makes the same blocks again and again. Taking them from a free list costs a few nanoseconds, and
// after the first steps never asks the system for memory. Sizes are rounded up to a power of two. Blocks above 64 MiB
// go straight to the system. Under sanitizers nothing is pooled, so that they see each use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// Returns at least `size` bytes, aligned to a cache line. Throws std::bad_alloc.
[[nodiscard]] void* pool_allocate(std::size_t size);

// Gives back a block of pool_allocate(size). Any thread may call it.
void pool_release(void* block, std::size_t size) noexcept;

// How often this thread's pool asked the system for memory: a steady step must not change it.
[[nodiscard]] std::uint64_t pool_system_requests() noexcept;

// Whether blocks come from the pool: false under sanitizers.
[[nodiscard]] bool pool_is_pooling() noexcept;

// A standard allocator on the pool. Elements of trivial types stay uninitialised when a container grows, since every
// protocol writes all of its outputs.
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

// A vector for the small lists of a protocol, which live in the pool like the values that they hold.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;
using Bytes = PoolVector<std::byte>;      // frames and chunks
using Words = PoolVector<std::uint64_t>;  // ring elements

// Large blocks of memory straight from the system, on huge pages where it has them. With small pages, the first touch
// and the look-up of each page cost more than the page's bytes are worth.

// A new block of at least `bytes` bytes, aligned to a huge page (2 MiB). Throws std::bad_alloc.
[[nodiscard]] void* map_large(std::size_t bytes);

// Gives back a block of map_large(bytes).
void unmap_large(void* block, std::size_t bytes) noexcept;

// Asks the system to back `bytes` bytes from `begin` on with huge pages. A refusal changes nothing.
void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace sotto
