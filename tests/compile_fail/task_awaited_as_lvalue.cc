// A task is awaited once: as an rvalue.
#include <utility>

#include "sotto/core/async/task.h"

sotto::Task<int> twice(sotto::Task<int> task);

sotto::Task<int> twice(sotto::Task<int> task) {
#ifdef WRONG
  const int value = co_await task;  // refused
#else
  const int value = co_await std::move(task);
#endif
  co_return 2 * value;
}
