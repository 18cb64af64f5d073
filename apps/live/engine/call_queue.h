// Calls of one kind, from any thread to the call thread, with a bound on what waits.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace sotto::apps::live {

template <class Call>
class CallQueue {
 public:
  // `most`: items of the calls that wait.
  explicit CallQueue(std::size_t most) : most_(most) {}

  // False if it is full; a call that is alone is taken, however large.
  [[nodiscard]] bool put(Call call, std::size_t items) {
    const std::lock_guard lock(mutex_);
    if (!calls_.empty() && items_ + items > most_) return false;
    calls_.push_back(std::move(call));
    items_ += items;
    return true;
  }
  // All, in their order.
  [[nodiscard]] std::vector<Call> take() {
    const std::lock_guard lock(mutex_);
    items_ = 0;
    return std::exchange(calls_, {});
  }

 private:
  std::mutex mutex_;
  std::size_t most_;
  std::size_t items_ = 0;
  std::vector<Call> calls_;
};

}  // namespace sotto::apps::live
