// Large blocks of memory: each page's first touch and look-up costs more than its bytes are worth.
#pragma once

#include <cstddef>

namespace sotto {

// Asks the system to back `bytes` bytes from `begin` on with huge pages. Only a wish: a refusal
// changes nothing.
void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace sotto
