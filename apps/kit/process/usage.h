// What this process has used: time and memory.
#pragma once

#include <chrono>
#include <cstdint>

namespace sotto::apps {

// Processor time of all its threads so far, in seconds.
[[nodiscard]] double process_cpu_seconds();

// Wall time since then, in seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Bytes resident at the worst moment since this program started (VmHWM of Linux); 0 where the system does not say.
// getrusage would also count what the parent held when it forked.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace sotto::apps
