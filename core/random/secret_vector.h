// Memory for secrets other than seeds, wiped on release.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sotto {

// Fills memory with zeros; no compiler removes the call.
void wipe_memory(void* begin, std::size_t bytes) noexcept;

template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* block, std::size_t count) noexcept {
    wipe_memory(block, count * sizeof(T));
    std::allocator<T>().deallocate(block, count);
  }
  friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

template <class T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

// Wipes a variable at the end of its scope, also on an exception.
template <class T>
class WipeAtExit {
 public:
  explicit WipeAtExit(T& secret) noexcept : secret_(secret) {}
  WipeAtExit(const WipeAtExit&) = delete;
  WipeAtExit& operator=(const WipeAtExit&) = delete;
  ~WipeAtExit() { wipe_memory(&secret_, sizeof(T)); }

 private:
  T& secret_;
};

}  // namespace sotto
