#include "sotto/protocol/async/task.h"

#include <openssl/crypto.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <limits>
#include <new>

#include "sotto/protocol/async/pool.h"

namespace sotto {

void Executor::fail(std::exception_ptr error) noexcept {
  if (!failure_) failure_ = std::move(error);
}

void Executor::run_ready() {
  while (!ready_.empty() && !failure_) {
    const std::coroutine_handle<> next = ready_.back();
    ready_.pop_back();
    next.resume();
  }
  if (failure_) {
    ready_.clear();
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool pooling = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
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

// Every block starts on a cache line, so that no load of a register touches two cache lines.
constexpr std::align_val_t line{64};
constexpr std::size_t large = std::size_t{4} << 20;

bool is_large(std::size_t size) { return pooling && size >= large; }

void* from_system(std::size_t size) { return is_large(size) ? map_large(size) : ::operator new(size, line); }

// A released block keeps its contents until its next use, because a wipe on each release would take a few percent of
// the time of a step. to_system() wipes blocks of the heap; the operating system clears unmapped memory itself.
void to_system(void* block, std::size_t size) noexcept {
  if (is_large(size)) return unmap_large(block, size);
  OPENSSL_cleanse(block, size);
  ::operator delete(block, line);
}

struct FreeBlock {
  FreeBlock* next;
};

struct Pool {
  std::array<FreeBlock*, classes> free{};
  std::uint64_t system_requests = 0;

  ~Pool() {
    for (std::size_t index = 0; index < classes; ++index) {
      for (FreeBlock* head = free[index]; head != nullptr;) {
        FreeBlock* next = head->next;
        to_system(head, smallest << index);
        head = next;
      }
    }
  }
};

thread_local Pool pool;

std::size_t class_of(std::size_t size) { return size <= smallest ? 0 : std::bit_width((size - 1) / smallest); }

constexpr std::size_t huge = std::size_t{2} << 20;

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + huge - 1) / huge * huge; }

std::size_t bytes_to_boundary(const void* at) {
  const auto address = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(at));
  return rounded_up(address) - address;
}

void unmap(std::byte* begin, std::size_t bytes) noexcept {
  if (bytes > 0) munmap(begin, bytes);
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
    to_system(block, size);
    return;
  }
  const std::size_t index = class_of(size);
  pool.free[index] = ::new (block) FreeBlock{pool.free[index]};
}

std::uint64_t pool_system_requests() noexcept { return pool.system_requests; }

bool pool_is_pooling() noexcept { return pooling; }

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
