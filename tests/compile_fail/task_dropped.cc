// A task that is not awaited does nothing, so dropping it is an error.
#include "sotto/core/async/task.h"

sotto::Task<int> one();
sotto::Task<int> caller();

sotto::Task<int> caller() {
#ifdef WRONG
  one();  // refused
#endif
  co_return co_await one();
}
