// Counts how often this thread asks the system for memory, and finds secrets in memory that the process frees.
#pragma once

#include <cstdint>
#include <vector>

namespace sotto::testing {

[[nodiscard]] std::uint64_t memory_requests() noexcept;

// While this object lives, every block of memory is searched for `words` just before it is freed. Only one FreedMemory
// object may live at a time.
class FreedMemory {
 public:
  explicit FreedMemory(std::vector<std::uint64_t> words);
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;
  ~FreedMemory();

  [[nodiscard]] std::uint64_t words_found() const noexcept;
  [[nodiscard]] std::uint64_t bytes_searched() const noexcept;

 private:
  std::vector<std::uint64_t> words_;  // sorted
};

}  // namespace sotto::testing
