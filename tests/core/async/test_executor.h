#pragma once

#include <coroutine>

#include "sotto/protocol/async/task.h"
#include "tests/framework.h"

namespace sotto::testing {

struct TestExecutor final : Executor {};

class Gate {
 public:
  explicit Gate(TestExecutor& executor) : executor_(executor) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { waiting_.push_back(waiting); }
  void await_resume() const noexcept {}

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  void open_gate() {
    for (std::size_t i = waiting_.size(); i-- > 0;) executor_.make_ready(waiting_[i]);
    waiting_.clear();
  }

 private:
  TestExecutor& executor_;
  std::vector<std::coroutine_handle<>> waiting_;
};

// The addresses of all living objects. With these addresses a second destruction of the same object is found.
class Counted {
 public:
  explicit Counted(int value = 0) : value_(value) { born(); }
  Counted(const Counted& other) : value_(other.value_) { born(); }
  Counted(Counted&& other) noexcept : value_(other.value_) { born(); }
  Counted& operator=(const Counted&) = default;
  ~Counted() {
    if (alive().erase(this) != 1) ++wrong();
  }
  [[nodiscard]] int value() const { return value_; }

  static std::set<const void*>& alive() {
    static std::set<const void*> objects;
    return objects;
  }
  // Counts destructions of objects that did not live, and constructions at the address of a living object.
  static int& wrong() {
    static int count = 0;
    return count;
  }

 private:
  void born() {
    if (!alive().insert(this).second) ++wrong();
  }
  int value_;
};

class CountedLives : public ::testing::Test {
 protected:
  void SetUp() override { Counted::wrong() = 0; }
  void TearDown() override {
    EXPECT_TRUE(Counted::alive().empty());
    EXPECT_EQ(Counted::wrong(), 0);
  }
};

template <class T>
T run_to_end(Task<T> task) {
  TestExecutor executor;
  task.start_on(executor);
  executor.run_ready();
  return task.take();
}

}  // namespace sotto::testing
