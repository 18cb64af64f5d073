// when_all: runs tasks side by side, so that their rounds overlap, and returns their results in argument order.
//
//     auto [s, u] = co_await when_all(mask(party, a), mask_trunc(party, b, 30));
//
// when_all needs as many rounds as the task with the most rounds. The result of a void task is a Unit.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"

namespace sotto {

struct Unit {};

namespace detail {
template <class T>
struct WhenAllResult {
  using type = T;
};
template <>
struct WhenAllResult<void> {
  using type = Unit;
};

template <class T>
typename WhenAllResult<T>::type take_result(Task<T>& task) {
  if constexpr (std::is_void_v<T>) {
    task.take();
    return Unit{};
  } else {
    return task.take();
  }
}

template <class Child>
void adopt(Child& child, PromiseBase& parent_promise, std::coroutine_handle<> parent, std::size_t* pending) {
  child.promise().executor = parent_promise.executor;
  child.promise().continuation = parent;
  child.promise().siblings_pending = pending;
}
}  // namespace detail

template <class... Ts>
class [[nodiscard]] WhenAllTuple {
 public:
  explicit WhenAllTuple(Task<Ts>&&... tasks) : tasks_(std::move(tasks)...) {}

  [[nodiscard]] bool await_ready() const noexcept { return sizeof...(Ts) == 0; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    pending_ = sizeof...(Ts);
    start(parent, std::index_sequence_for<Ts...>{});
  }
  std::tuple<typename detail::WhenAllResult<Ts>::type...> await_resume() {
    return std::apply(
        [](auto&... task) {
          return std::tuple<typename detail::WhenAllResult<Ts>::type...>{detail::take_result(task)...};
        },
        tasks_);
  }

 private:
  template <class Promise, std::size_t... I>
  void start([[maybe_unused]] std::coroutine_handle<Promise> parent, std::index_sequence<I...>) {
    // The queue is a stack, so the first child must be added last to run first.
    (start_one(parent, std::get<sizeof...(Ts) - 1 - I>(tasks_)), ...);
  }
  template <class Promise, class T>
  void start_one(std::coroutine_handle<Promise> parent, Task<T>& task) {
    detail::adopt(task.handle_, parent.promise(), parent, &pending_);
    parent.promise().executor->make_ready(task.handle_);
  }

  std::tuple<Task<Ts>...> tasks_;
  std::size_t pending_ = 0;
};

template <class T, class Allocator>
class [[nodiscard]] WhenAllVector {
 public:
  using Result = typename detail::WhenAllResult<T>::type;
  using Results = std::vector<Result, typename std::allocator_traits<Allocator>::template rebind_alloc<Result>>;

  explicit WhenAllVector(std::vector<Task<T>, Allocator> tasks) : tasks_(std::move(tasks)) {}

  [[nodiscard]] bool await_ready() const noexcept { return tasks_.empty(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    pending_ = tasks_.size();
    for (std::size_t i = tasks_.size(); i-- > 0;) {
      detail::adopt(tasks_[i].handle_, parent.promise(), parent, &pending_);
      parent.promise().executor->make_ready(tasks_[i].handle_);
    }
  }
  Results await_resume() {
    Results results;
    results.reserve(tasks_.size());
    for (Task<T>& task : tasks_) results.push_back(detail::take_result(task));
    return results;
  }

 private:
  std::vector<Task<T>, Allocator> tasks_;
  std::size_t pending_ = 0;
};

template <class... Ts>
WhenAllTuple<Ts...> when_all(Task<Ts>... tasks) {
  return WhenAllTuple<Ts...>(std::move(tasks)...);
}

template <class T, class Allocator>
WhenAllVector<T, Allocator> when_all(std::vector<Task<T>, Allocator> tasks) {
  return WhenAllVector<T, Allocator>(std::move(tasks));
}

}  // namespace sotto
