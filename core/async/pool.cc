#include "core/async/pool.h"

#include <array>
#include <bit>
#include <new>

#include "core/async/huge_pages.h"

namespace sotto {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool pooling = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr bool pooling = false;
#else
constexpr bool pooling = true;
#endif
#else
constexpr bool pooling = true;
#endif

constexpr std::size_t smallest = 32;
constexpr std::size_t largest = std::size_t{64} << 20;
constexpr std::size_t classes = std::bit_width(largest / smallest);

// Whole cache lines, so that no load of the widest registers touches two.
constexpr std::align_val_t line{64};
constexpr std::size_t large = std::size_t{4} << 20;

void* from_system(std::size_t size) {
  void* block = ::operator new(size, line);
  if (size >= large) ask_for_huge_pages(block, size);
  return block;
}

void to_system(void* block) noexcept { ::operator delete(block, line); }

struct FreeBlock {
  FreeBlock* next;
};

struct Pool {
  std::array<FreeBlock*, classes> free{};
  std::uint64_t system_requests = 0;

  ~Pool() {
    for (FreeBlock*& head : free) {
      while (head != nullptr) {
        FreeBlock* next = head->next;
        to_system(head);
        head = next;
      }
    }
  }
};

thread_local Pool pool;

std::size_t class_of(std::size_t size) {
  return size <= smallest ? 0 : std::bit_width((size - 1) / smallest);
}

}  // namespace

void* pool_allocate(std::size_t size) {
  if (!pooling || size > largest) {
    ++pool.system_requests;
    return from_system(size);
  }
  const std::size_t index = class_of(size);
  if (FreeBlock* head = pool.free[index]; head != nullptr) {
    pool.free[index] = head->next;
    return head;
  }
  ++pool.system_requests;
  return from_system(smallest << index);
}

void pool_release(void* block, std::size_t size) noexcept {
  if (!pooling || size > largest) {
    to_system(block);
    return;
  }
  const std::size_t index = class_of(size);
  pool.free[index] = ::new (block) FreeBlock{pool.free[index]};
}

std::uint64_t pool_system_requests() noexcept { return pool.system_requests; }

bool pool_is_pooling() noexcept { return pooling; }

}  // namespace sotto
