// When the shuffler's batches close: at every whole multiple of a period, counted from 1970 in UTC, on the wall clock
// and whatever has been reported. A batch of a period of an hour closes on the hour.
//
// Why a clock: a batch that closes when it is full has a size that everybody knows, and what is missing from it was
// dropped; so the server would learn how many were dropped, which delta does not allow for (apps/p2b/privacy.h). The
// tick is the batch's name as well, so that no number that the server sees counts reports, or batches that had some.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace sotto::apps {

using Tick = std::chrono::sys_seconds;

inline constexpr std::chrono::seconds longest_period{30 * 24 * 3600};

class BatchClock {
 public:
  using Time = std::chrono::system_clock::time_point;
  using Now = std::function<Time()>;

  // `now` is for tests. A period that is not from 1 second to longest_period is std::invalid_argument.
  explicit BatchClock(std::chrono::seconds period, Now now = std::chrono::system_clock::now);

  [[nodiscard]] Time now() const { return now_(); }
  [[nodiscard]] std::chrono::seconds period() const noexcept { return period_; }
  // The first tick that is later.
  [[nodiscard]] Tick tick_after(Time time) const;

 private:
  std::chrono::seconds period_;
  Now now_;
};

// "2026-01-31T10:00:00Z".
[[nodiscard]] std::string tick_text(Tick tick);

}  // namespace sotto::apps
