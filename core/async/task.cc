#include "sotto/protocol/async/task.h"

namespace sotto {

void Executor::fail(std::exception_ptr error) noexcept {
  if (!failure_) failure_ = std::move(error);
}

void Executor::run_ready() {
  while (!ready_.empty() && !failure_) {
    const std::coroutine_handle<> next = ready_.back();
    ready_.pop_back();
    next.resume();
  }
  if (failure_) {
    ready_.clear();
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

}  // namespace sotto
