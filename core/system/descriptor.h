// Owns a file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace sotto {

class Descriptor {
 public:
  Descriptor() = default;
  // A negative number, which system calls return on failure, means that there is no descriptor.
  explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  // Returns false if the system reports an error. For a file, close() may report an error of an earlier write.
  bool close() noexcept { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace sotto
