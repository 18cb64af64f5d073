// The most memory that this process has held so far.
#pragma once

#include <cstdint>

namespace sotto::apps {

// Bytes resident at the worst moment since this program started (VmHWM of Linux); 0 where the
// system does not say. getrusage would also count what the parent held when it forked.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace sotto::apps
