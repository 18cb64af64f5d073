#include "sotto/net/transport/emulate/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::net {
namespace {

using namespace std::chrono_literals;

constexpr Clock::time_point start{std::chrono::hours(5)};

TEST(SendSchedule, DelaysAndSerializes) {
  SendSchedule schedule({20ms, 0ms, 8'000'000}, 1);  // a byte a microsecond
  EXPECT_EQ(schedule.send(1000, start), start + 21ms);
  EXPECT_EQ(schedule.send(500, start), start + 21500us);         // behind the first
  EXPECT_EQ(schedule.send(500, start + 10ms), start + 30500us);  // the link was idle
}

TEST(SendSchedule, WithoutRateBytesOnlyTravel) {
  SendSchedule schedule({5ms, 0ms, 0}, 1);
  EXPECT_EQ(schedule.send(100'000'000, start), start + 5ms);
  EXPECT_LE(schedule.open_at(), start);
}

TEST(SendSchedule, TakesASendBufferAheadOfTheRate) {
  SendSchedule schedule({20ms, 0ms, 8'000'000}, 1);
  (void)schedule.send(send_buffer, start);
  EXPECT_EQ(schedule.open_at(), start);
  (void)schedule.send(1000, start);
  EXPECT_EQ(schedule.open_at(), start + 1ms);
}

TEST(SendSchedule, JitterIsUniformAndKeepsOrder) {
  SendSchedule spread({20ms, 4ms, 0}, 7);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 20000;
  Clock::time_point now = start;
  for (int i = 0; i < draws; ++i) {
    now += 100ms;  // far apart, so that none waits for another
    const double ms = std::chrono::duration<double, std::milli>(spread.send(1, now) - now).count();
    EXPECT_GE(ms, 20.0);
    EXPECT_LE(ms, 24.0);
    sum += ms - 20;
    squares += (ms - 20) * (ms - 20);
  }
  // The mean of n draws has a standard deviation of 4 / sqrt(12 n) = 0.008.
  EXPECT_NEAR(sum / draws, 2.0, 0.05);
  EXPECT_NEAR(squares / draws, 16.0 / 3, 0.2);

  SendSchedule close({20ms, 4ms, 0}, 7);
  Clock::time_point last{};
  for (int i = 0; i < 1000; ++i) {
    now += 10us;
    const Clock::time_point arrival = close.send(1, now);
    EXPECT_GE(arrival, last);
    EXPECT_GE(arrival, now + 20ms);
    EXPECT_LE(arrival, now + 24ms);
    last = arrival;
  }
}

TEST(SendSchedule, CutsAtTheStatedTimeOrAtTheStatedRate) {
  EXPECT_EQ(SendSchedule({}, 1).cut_time(start), Clock::time_point::max());
  LinkConditions at;
  at.cut_after = 3s;
  EXPECT_EQ(SendSchedule(at, 1).cut_time(start), start + 3s);
  LinkConditions rate;
  rate.cut_probability = 0.2;
  int survive = 0;
  constexpr int draws = 20000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Clock::time_point cut = SendSchedule(rate, seed).cut_time(start);
    EXPECT_GE(cut, start);
    if (cut > start + 3s) ++survive;
  }
  EXPECT_NEAR(survive / double{draws}, std::pow(0.8, 3), 0.02);
}

}  // namespace
}  // namespace sotto::net
