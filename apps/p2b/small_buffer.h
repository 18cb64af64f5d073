// Numbers of one context: on the stack where they are few, so that encoding a context asks the heap for nothing.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto::apps {

template <class T>
class SmallBuffer {
 public:
  explicit SmallBuffer(std::size_t size) : heap_(size > stack_.size() ? size : 0), size_(size) {}

  [[nodiscard]] std::span<T> values() {
    return heap_.empty() ? std::span<T>(stack_).first(size_) : std::span<T>(heap_);
  }

 private:
  std::array<T, 64> stack_;
  std::vector<T> heap_;
  std::size_t size_;
};

}  // namespace sotto::apps
