#include "sotto/protocol/transport/emulate/conditions.h"

#include "net/transport/emulate/emulated_link.h"
#include "tests/properties.h"

namespace sotto::net {
namespace {

using namespace std::chrono_literals;

TEST(LinkConditions, UnitsAreRead) {
  EXPECT_EQ(parse_delay("20ms", "x"), 20ms);
  EXPECT_EQ(parse_delay("0.5ms", "x"), 500us);
  EXPECT_EQ(parse_delay("7us", "x"), 7us);
  EXPECT_EQ(parse_delay("2s", "x"), 2s);
  EXPECT_EQ(parse_delay("0us", "x"), 0s);
  EXPECT_EQ(parse_rate("10kbit", "x"), 10'000u);
  EXPECT_EQ(parse_rate("100mbit", "x"), 100'000'000u);
  EXPECT_EQ(parse_rate("2.5gbit", "x"), 2'500'000'000u);
  LinkConditions conditions;
  parse_loss("1.5s", "x", conditions);
  EXPECT_EQ(conditions.cut_after, std::optional<std::chrono::nanoseconds>(1500ms));
  EXPECT_EQ(loss_text(conditions), "1.5s");
  conditions = {};
  parse_loss("0.25/s", "x", conditions);
  EXPECT_EQ(conditions.cut_probability, 0.25);
  EXPECT_EQ(loss_text(conditions), "0.25/s");
  EXPECT_EQ(loss_text({}), "");
}

TEST(LinkConditions, WhatIsNoQuantityIsRefused) {
  for (const char* text : {"", "20", "ms", "20 ms", "20min", "-1ms", "-0ms", "3s", "1e300s", "nanms", "infs", "20msx",
                           "0x10ms", "20MS", "+1ms", "20ms "}) {
    const std::string says = error_of<InputError>([&] { (void)parse_delay(text, "--link-delay"); });
    EXPECT_EQ(says.find("--link-delay: '" + std::string(text) + "' is no time of a link"), 0u) << says;
  }
  for (const char* text :
       {"", "100", "mbit", "100mbps", "0mbit", "1kbit", "-5mbit", "2000gbit", "inf gbit", "infgbit", "1e99gbit"}) {
    const std::string says = error_of<InputError>([&] { (void)parse_rate(text, "--link-rate"); });
    EXPECT_EQ(says.find("--link-rate: '" + std::string(text) + "' is no rate of a link"), 0u) << says;
  }
  for (const char* text : {"", "0s", "0/s", "1/s", "2/s", "-0.1/s", "0.1", "nan/s", "0.1/m"}) {
    LinkConditions conditions;
    const std::string says = error_of<InputError>([&] { parse_loss(text, "--link-loss", conditions); });
    EXPECT_EQ(says.find("--link-loss: '" + std::string(text) + "' is no loss of a link"), 0u) << says;
    EXPECT_FALSE(conditions.emulated());
  }
}

PROPERTY(LinkConditions, TextsParseToTheSameValue) {
  const std::chrono::nanoseconds delay(draw_in_range<std::int64_t>(0, 2'000'000'001));
  HOLDS(parse_delay(delay_text(delay), "x") == delay);
  const auto rate = draw_in_range<std::uint64_t>(10'000, 1'000'000'000'000);
  HOLDS(parse_rate(rate_text(rate), "x") == rate);
}

TEST(LinkConditions, AreDescribed) {
  EXPECT_EQ(describe({}), "");
  LinkConditions conditions{20ms, 1500us, 100'000'000};
  conditions.cut_after = 90s;
  EXPECT_EQ(describe(conditions), "delay 20ms, jitter 1.5ms, rate 100mbit, loss 90s");
  EXPECT_EQ(describe({0ms, 0ms, 1'000'000'000}), "rate 1gbit");
}

TEST(LinkConditions, TransferTakesBytesOverRate) {
  EXPECT_EQ(transfer_time({}, 1'000'000), 0s);
  EXPECT_EQ(transfer_time({0ms, 0ms, 100'000'000}, 1'250'000), 100ms);
  EXPECT_EQ(transfer_time({0ms, 0ms, 3'000'000'000}, 1), 3ns);  // rounded up
}

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
