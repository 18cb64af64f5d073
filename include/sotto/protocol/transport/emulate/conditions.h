// The effects of an emulated link on the bytes of each of its two directions.
//
//   delay    one way, 0 to 2 s
//   jitter   0 to 2 s: a write comes later by a further time that is uniform in [0, jitter]; bytes
//            never overtake each other, as in TCP
//   rate     10 kbit to 1000 gbit per second, for each direction of a link
//   loss     the connection is cut once: at a stated time after it was made, or with a probability per second
//
// In texts, times are written as 50us, 20ms or 1.5s, rates as 256kbit, 100mbit or 1gbit, and losses as 30s or 0.01/s.
// Any other text, or a value outside the ranges above, throws an InputError that starts with `where`.
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
  double cut_probability = 0;  // probability that the link is cut within a second; below 1

  // False if no condition is set.
  [[nodiscard]] bool emulated() const { return *this != LinkConditions{}; }
  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

// The time to serialize the given number of bytes, rounded up; 0 if no rate is set.
[[nodiscard]] std::chrono::nanoseconds transfer_time(const LinkConditions& conditions, std::uint64_t bytes);

[[nodiscard]] std::chrono::nanoseconds parse_delay(std::string_view text, const std::string& where);
[[nodiscard]] std::uint64_t parse_rate(std::string_view text, const std::string& where);
// Sets cut_after or cut_probability.
void parse_loss(std::string_view text, const std::string& where, LinkConditions& conditions);

// Conditions as texts. Parsing the text of a condition gives the same condition again.
[[nodiscard]] std::string delay_text(std::chrono::nanoseconds time);
[[nodiscard]] std::string rate_text(std::uint64_t bits_per_second);
// The text is empty if the link is never cut.
[[nodiscard]] std::string loss_text(const LinkConditions& conditions);
// Text for people: "delay 20ms, jitter 2ms, rate 100mbit, loss 30s", with only the conditions that are set.
[[nodiscard]] std::string describe(const LinkConditions& conditions);

}  // namespace sotto::net
