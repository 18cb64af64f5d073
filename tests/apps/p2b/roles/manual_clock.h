// A wall clock that stands until a test moves it, from any thread.
#pragma once

#include "sotto/apps/p2b/roles/report_queue.h"
#include "tests/framework.h"

namespace sotto::apps {

inline constexpr std::chrono::seconds hour{3600};

class ManualClock {
 public:
  static constexpr Tick begin{std::chrono::seconds{1'800'000'000}};  // on the hour

  void pass(std::chrono::seconds time) { *seconds_ += time.count(); }
  [[nodiscard]] Tick now() const { return Tick(std::chrono::seconds(seconds_->load())); }
  [[nodiscard]] BatchClock::Now function() const {
    return [seconds = seconds_] { return Tick(std::chrono::seconds(seconds->load())); };
  }
  [[nodiscard]] BatchClock hours() const { return BatchClock(hour, function()); }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> seconds_ =
      std::make_shared<std::atomic<std::int64_t>>(begin.time_since_epoch().count());
};

// The name of a batch that closes so many hours after the clock's beginning.
inline std::uint64_t batch_of_hour(int hours) {
  return static_cast<std::uint64_t>((ManualClock::begin + hours * hour).time_since_epoch().count());
}

}  // namespace sotto::apps
