#include "apps/kit/learn/tasks.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

void run_tasks(std::size_t count, std::size_t threads, const std::atomic<bool>& interrupted,
               const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr fault;
  std::mutex fault_guard;
  const auto loop = [&] {
    try {
      for (std::size_t i = next++; i < count && !failed; i = next++) {
        if (interrupted) throw Interrupted();
        work(i);
      }
    } catch (...) {
      const std::lock_guard lock(fault_guard);
      if (!fault) fault = std::current_exception();
      failed = true;
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(loop);
  loop();
  for (std::thread& helper : helpers) helper.join();
  if (fault) std::rethrow_exception(fault);
}

std::size_t core_count() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace sotto::apps
