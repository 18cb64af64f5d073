// Calls that each have a list of items. A role processes all waiting calls at once, in one transaction.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/live/engine/engine_core.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// Any thread may add calls; only the call thread removes calls.

template <class Call>
class CallQueue {
 public:
  explicit CallQueue(std::size_t most) : most_(most) {}

  // Returns false if the queue is full. An empty queue accepts a call of any size.
  [[nodiscard]] bool put(Call call, std::size_t items) {
    const std::lock_guard lock(mutex_);
    if (!calls_.empty() && items_ + items > most_) return false;
    calls_.push_back(std::move(call));
    items_ += items;
    return true;
  }
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

inline constexpr std::size_t most_items_waiting = 65'536;
inline constexpr std::uint64_t forget_every = 10'000;
inline constexpr std::uint64_t forget_soon = 100;

class ForgetTurns {
 public:
  // Also true if the clock was set back since the last turn.
  [[nodiscard]] bool is_due(LiveTime now) const { return now >= next_ || next_ > now + forget_every; }
  void done(LiveTime now, bool more) { next_ = now + (more ? forget_soon : forget_every); }
  [[nodiscard]] LiveTime next() const { return next_; }

 private:
  LiveTime next_ = 0;
};

template <class Item, class Status>
class ListCalls {
 public:
  using Answer = Answered<std::vector<Status>>;

  explicit ListCalls(EngineCore& core) : core_(core) {}

  // Any thread may call this function.
  void ask(std::vector<Item> items, Answer answer) {
    const std::size_t count = items.size();
    Call call{std::move(items), answer};
    if (queue_.put(std::move(call), count)) return core_.wake_calls();
    core_.post(with(std::move(answer), CallRefusal::full, {}));
  }

  // Call under the lock. `act` returns a status for each item of all calls. If `act` throws, every caller receives
  // CallRefusal::disk_full.
  template <class Act>
  void work(Act act) {
    std::vector<Call> calls = queue_.take();
    if (calls.empty()) return;
    std::vector<Item> all;
    for (const Call& call : calls) all.insert(all.end(), call.items.begin(), call.items.end());
    std::vector<Status> statuses;
    try {
      statuses = act(std::span<const Item>(all));
    } catch (...) {
      for (Call& call : calls) core_.post_later(with(std::move(call.answer), CallRefusal::disk_full, {}));
      throw;
    }
    auto next = statuses.begin();
    for (Call& call : calls) {
      const auto end = next + static_cast<std::ptrdiff_t>(call.items.size());
      core_.post_later(with(std::move(call.answer), CallRefusal::none, std::vector<Status>(next, end)));
      next = end;
    }
  }

  // Call under the lock.
  void fail(CallRefusal trouble) {
    for (Call& call : queue_.take()) core_.post_later(with(std::move(call.answer), trouble, {}));
  }

 private:
  struct Call {
    std::vector<Item> items;
    Answer answer;
  };

  static std::function<void()> with(Answer answer, CallRefusal trouble, std::vector<Status> statuses) {
    return [answer = std::move(answer), trouble, statuses = std::move(statuses)]() mutable {
      answer(CallResult<std::vector<Status>>{trouble, std::move(statuses)});
    };
  }

  EngineCore& core_;
  CallQueue<Call> queue_{most_items_waiting};
};

using ViewCalls = ListCalls<EventId, std::optional<EventView>>;

inline void ask_view(ViewCalls& views, const EventId& event, Answered<std::optional<EventView>> answer) {
  views.ask({event}, [answer = std::move(answer)](CallResult<std::vector<std::optional<EventView>>> result) {
    CallResult<std::optional<EventView>> one{result.trouble, {}};
    if (!result.result.empty()) one.result = std::move(result.result.front());
    answer(std::move(one));
  });
}

// Call under the lock.
template <class Role>
void work_on_views(ViewCalls& views, const Role& role) {
  views.work([&](std::span<const EventId> events) {
    std::vector<std::optional<EventView>> seen;
    seen.reserve(events.size());
    for (const EventId& event : events) seen.push_back(role.view(event));
    return seen;
  });
}

}  // namespace sotto::apps::live
