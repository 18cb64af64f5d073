// Independent tasks on as many threads as the machine has cores.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace sotto::apps {

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads, and waits for all calls. The first exception
// stops all calls that have not begun, and is thrown here. Throws Interrupted if `interrupted` is set between two
// calls.
void run_tasks(std::size_t count, std::size_t threads, const std::atomic<bool>& interrupted,
               const std::function<void(std::size_t)>& work);

// The number of cores of this machine, at least 1.
[[nodiscard]] std::size_t core_count();

}  // namespace sotto::apps
