// Large blocks of memory straight from the system, on huge pages where it has them: with small ones the first touch and
// the look-up of each page cost more than its bytes are worth.
#pragma once

#include <cstddef>

namespace sotto {

// A new block of at least `bytes` bytes, aligned to a huge page (2 MiB). Throws std::bad_alloc.
[[nodiscard]] void* map_large(std::size_t bytes);

// Gives back a block of map_large(bytes).
void unmap_large(void* block, std::size_t bytes) noexcept;

// Asks the system to back `bytes` bytes from `begin` on with huge pages. Only a wish: a refusal changes nothing.
void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace sotto
