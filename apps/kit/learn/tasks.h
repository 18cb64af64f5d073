// Runs independent tasks on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace sotto::apps {

// Calls work(0) .. work(count - 1), each once. After the first exception no further call begins, and run_tasks() throws
// it. Throws Interrupted if `interrupted` is set between two calls.
void run_tasks(std::size_t count, std::size_t threads, const std::atomic<bool>& interrupted,
               const std::function<void(std::size_t)>& work);

// Returns at least 1.
[[nodiscard]] std::size_t core_count();

}  // namespace sotto::apps
