// Runs independent tasks on several threads, such as one thread per core of the machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace sotto::apps {

// Calls work(0) .. work(count - 1), each once, on up to `threads` threads, and waits for all calls. After the first
// exception no further call begins, and run_tasks() throws this exception. Throws Interrupted if `interrupted` is set
// between two calls.
void run_tasks(std::size_t count, std::size_t threads, const std::atomic<bool>& interrupted,
               const std::function<void(std::size_t)>& work);

// The number of cores of this machine, at least 1.
[[nodiscard]] std::size_t core_count();

}  // namespace sotto::apps
