// A thread's free list of memory blocks, for coroutine frames and the storage of values.
//
// The steps of a program allocate blocks of the same sizes again and again. A block from a free list costs a few
// nanoseconds. After the first steps, the pool never asks the system for memory. Sizes are rounded up to a power of
// two. Blocks above 64 MiB come straight from the system. Under sanitizers nothing is pooled, so that the sanitizers
// see each use of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// Returns at least `size` bytes, aligned to a cache line. Throws std::bad_alloc.
[[nodiscard]] void* pool_allocate(std::size_t size);

// Gives back a block that pool_allocate(size) returned. Any thread may call pool_release().
void pool_release(void* block, std::size_t size) noexcept;

// The number of times that this thread's pool asked the system for memory. After the first steps of a program, this
// number must not grow.
[[nodiscard]] std::uint64_t pool_system_requests() noexcept;

// True if blocks come from the pool; false under sanitizers.
[[nodiscard]] bool pool_is_pooling() noexcept;

// A standard allocator that takes its memory from the pool. Elements of trivial types stay uninitialised when a
// container grows, since every protocol writes all of its outputs.
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

// A vector for the small lists of a protocol. The pool holds these lists and the values in them.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;
using Bytes = PoolVector<std::byte>;      // frames and chunks
using Words = PoolVector<std::uint64_t>;  // ring elements

// Large blocks of memory straight from the system, on huge pages if the system has huge pages. With small pages, the
// first access to a page and its address look-up cost more time than the work on the bytes of the page.

// A new block of at least `bytes` bytes, aligned to a huge page (2 MiB). Throws std::bad_alloc.
[[nodiscard]] void* map_large(std::size_t bytes);

// Gives back a block that map_large(bytes) returned.
void unmap_large(void* block, std::size_t bytes) noexcept;

// Asks the system to use huge pages for the `bytes` bytes that start at `begin`. If the system refuses, nothing
// changes.
void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace sotto
