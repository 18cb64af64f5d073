// The ready queue of one role: a stack of coroutines that can run on.
//
// Last in, first out makes the order depth-first: a child that is started runs until it waits before its sibling
// starts, at every role alike, and correlated randomness is drawn in the same order everywhere. Coroutines resume from
// the loop here and never from each other, so a long chain of ready tasks does not grow the stack.
#pragma once

#include <coroutine>
#include <exception>
#include <vector>

namespace sotto {

class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  void make_ready(std::coroutine_handle<> waiting) { ready_.push_back(waiting); }

  // Called by a task that ends in an exception. The first one counts; nothing runs after it.
  void fail(std::exception_ptr error) noexcept;

  // Resumes until nothing is ready. Rethrows the first failure, with the queue emptied.
  void run_ready();

 protected:
  ~Executor() = default;

 private:
  std::vector<std::coroutine_handle<>> ready_;
  std::exception_ptr failure_;
};

}  // namespace sotto
