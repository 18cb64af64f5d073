// Independent pieces of work on as many threads as the machine has cores.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace sotto::apps {

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads, and waits for all. The first exception of
// one ends the rest before they begin, and is thrown here; Interrupted where `interrupted` is set between two pieces.
void run_tasks(std::size_t count, std::size_t threads, const std::atomic<bool>& interrupted,
               const std::function<void(std::size_t)>& work);

// Of this machine, 1 at least.
[[nodiscard]] std::size_t core_count();

}  // namespace sotto::apps
