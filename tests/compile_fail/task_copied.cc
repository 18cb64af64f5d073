// A task is moved, never copied.
#include <utility>

#include "sotto/core/async/task.h"

sotto::Task<int> hand_on(sotto::Task<int> task);

sotto::Task<int> hand_on(sotto::Task<int> task) {
#ifdef WRONG
  sotto::Task<int> other = task;  // refused
#else
  sotto::Task<int> other = std::move(task);
#endif
  return other;
}
