// How long this process has worked.
#pragma once

#include <chrono>

namespace sotto::apps {

// Processor time of all its threads so far, in seconds.
[[nodiscard]] double process_cpu_seconds();

// Wall time since then, in seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace sotto::apps
