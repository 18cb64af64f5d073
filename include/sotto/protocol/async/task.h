// Task<T>: a protocol as a lazy coroutine. A task can be moved but not copied, and can be awaited once.
//
//     Task<Arith> square(Party& party, Masked x) { ... co_return ...; }
//     Arith y = co_await square(party, x);
//
// A task starts when it is awaited, and runs on the executor of the awaiting task. An exception in any task goes to the
// executor and ends the whole program; the awaiting task cannot catch the exception. An object that a task gets by
// reference must outlive the task.
//
// An await expression must not contain an aggregate temporary, a braced list, a capturing lambda, `?:`, `&&` or `||`,
// because g++ 12 destroys such temporaries twice. Give such an object a name before the await expression.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/protocol/async/pool.h"

namespace sotto {

// The ready queue of one role: a stack of coroutines. Coroutines run in the same order at every role, so every role
// draws correlated randomness in the same order.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  void make_ready(std::coroutine_handle<> waiting) { ready_.push_back(waiting); }

  // Stores the exception if it is the first. No coroutine runs after an exception.
  void fail(std::exception_ptr error) noexcept;

  // Resumes coroutines until none is ready, or rethrows the first exception of a task.
  void run_ready();

 protected:
  ~Executor() = default;

 private:
  std::vector<std::coroutine_handle<>> ready_;
  std::exception_ptr failure_;
};

template <class T>
class Task;

namespace detail {

struct PromiseBase {
  Executor* executor = nullptr;
  std::coroutine_handle<> continuation;
  std::size_t* siblings_pending = nullptr;

  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      PromiseBase& promise = finished.promise();
      if (promise.siblings_pending != nullptr && --*promise.siblings_pending != 0) return;
      if (promise.continuation) promise.executor->make_ready(promise.continuation);
    }
    void await_resume() const noexcept {}
  };

  static void* operator new(std::size_t size) { return pool_allocate(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { pool_release(frame, size); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { executor->fail(std::current_exception()); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> result;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& value) {
    result.emplace(std::forward<U>(value));
  }
  T take() { return std::move(*result); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    Handle child;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> parent) const {
      child.promise().continuation = parent;
      child.promise().executor = parent.promise().executor;
      child.promise().executor->make_ready(child);
    }
    T await_resume() const { return child.promise().take(); }
  };
  Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }

  void start_on(Executor& executor) {
    handle_.promise().executor = &executor;
    executor.make_ready(handle_);
  }
  [[nodiscard]] bool done() const noexcept { return handle_.done(); }
  T take() { return handle_.promise().take(); }

 private:
  template <class...>
  friend class WhenAllTuple;
  template <class, class>
  friend class WhenAllVector;
  Handle handle_;
};

namespace detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}
}  // namespace detail

}  // namespace sotto
