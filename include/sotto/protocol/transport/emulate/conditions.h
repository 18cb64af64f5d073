// The effects of an emulated link on the bytes of each of its two directions.
//
//   delay    one way, 0 to 2 s
//   jitter   0 to 2 s: a further delay of each write, uniform in [0, jitter]; bytes never overtake each other
//   rate     10 kbit to 1000 gbit per second, for each direction
//   loss     the connection is cut once: at a stated age, or with a probability per second
//
// Times are written as 50us, 20ms or 1.5s, rates as 256kbit, 100mbit or 1gbit, and losses as 30s or 0.01/s. Other texts
// and values out of range throw an InputError that starts with `where`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::net {

struct LinkConditions {
  std::chrono::nanoseconds delay{0};
  std::chrono::nanoseconds jitter{0};
  std::uint64_t bits_per_second = 0;  // 0: no limit
  std::optional<std::chrono::nanoseconds> cut_after{};
  double cut_probability = 0;  // per second, below 1

  [[nodiscard]] bool emulated() const { return *this != LinkConditions{}; }
  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

// The time to serialize the bytes, rounded up; 0 without a rate.
[[nodiscard]] std::chrono::nanoseconds transfer_time(const LinkConditions& conditions, std::uint64_t bytes);

[[nodiscard]] std::chrono::nanoseconds parse_delay(std::string_view text, const std::string& where);
[[nodiscard]] std::uint64_t parse_rate(std::string_view text, const std::string& where);
void parse_loss(std::string_view text, const std::string& where, LinkConditions& conditions);

// Texts that parse to the same delay and rate.
[[nodiscard]] std::string delay_text(std::chrono::nanoseconds time);
[[nodiscard]] std::string rate_text(std::uint64_t bits_per_second);
// A text that parses to the same loss; empty if the link is never cut.
[[nodiscard]] std::string loss_text(const LinkConditions& conditions);
// Text for people, such as "delay 20ms, rate 100mbit".
[[nodiscard]] std::string describe(const LinkConditions& conditions);

}  // namespace sotto::net
