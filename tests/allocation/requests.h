// How often this thread has asked the system for memory: by new, by malloc, or inside a library.
#pragma once

#include <cstdint>

namespace sotto::testing {

[[nodiscard]] std::uint64_t memory_requests() noexcept;

}  // namespace sotto::testing
