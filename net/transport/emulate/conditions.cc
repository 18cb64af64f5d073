#include "sotto/protocol/transport/emulate/conditions.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

using std::chrono::nanoseconds;

struct Unit {
  std::string_view name;
  double size;
};

// The units are in ascending order.
constexpr std::array<Unit, 3> times{{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr std::array<Unit, 3> rates{{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};

constexpr double longest_delay = 2e9;
constexpr double least_rate = 1e4;
constexpr double largest_rate = 1e12;
constexpr double latest_cut = 1e15;

// Returns nothing unless the text is a number of at least 0 followed by a unit.
template <std::size_t count>
std::optional<double> quantity(std::string_view text, const std::array<Unit, count>& units) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) return std::nullopt;
  const std::string_view name = text.substr(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& unit : units) {
    if (name == unit.name) return number * unit.size;
  }
  return std::nullopt;
}

template <std::size_t count>
std::string in_units(double value, const std::array<Unit, count>& units) {
  std::size_t i = count - 1;
  while (i > 0 && value < units[i].size) --i;
  return fmt::format("{}{}", value / units[i].size, units[i].name);
}

}  // namespace

nanoseconds transfer_time(const LinkConditions& conditions, std::uint64_t bytes) {
  if (conditions.bits_per_second == 0) return nanoseconds(0);
  const double bits = 8 * static_cast<double>(bytes);
  return nanoseconds(
      static_cast<std::int64_t>(std::ceil(1e9 * bits / static_cast<double>(conditions.bits_per_second))));
}

nanoseconds parse_delay(std::string_view text, const std::string& where) {
  const std::optional<double> value = quantity(text, times);
  if (!value || *value > longest_delay) {
    throw InputError(where,
                     fmt::format("'{}' is no time of a link: expected 0us to 2s, such as 500us, 20ms or 1.5s", text));
  }
  return nanoseconds(std::llround(*value));
}

std::uint64_t parse_rate(std::string_view text, const std::string& where) {
  const std::optional<double> value = quantity(text, rates);
  if (!value || *value < least_rate || *value > largest_rate) {
    throw InputError(
        where,
        fmt::format(
            "'{}' is no rate of a link: expected 10kbit to 1000gbit (a second), such as 512kbit, 100mbit or 1gbit",
            text));
  }
  return static_cast<std::uint64_t>(std::llround(*value));
}

void parse_loss(std::string_view text, const std::string& where, LinkConditions& conditions) {
  static constexpr std::array<Unit, 1> a_second{{{"/s", 1}}};
  if (const auto at = quantity(text, times); at && *at >= 1 && *at <= latest_cut) {
    conditions.cut_after = nanoseconds(std::llround(*at));
    return;
  }
  const auto probability = quantity(text, a_second);
  if (!probability || *probability <= 0 || *probability >= 1) {
    throw InputError(where, fmt::format("'{}' is no loss of a link: expected the time when it is cut, such as 30s, or "
                                        "a probability a second between 0 and 1, such as 0.01/s",
                                        text));
  }
  conditions.cut_probability = *probability;
}

std::string delay_text(nanoseconds time) { return in_units(static_cast<double>(time.count()), times); }

std::string rate_text(std::uint64_t bits_per_second) { return in_units(static_cast<double>(bits_per_second), rates); }

std::string loss_text(const LinkConditions& conditions) {
  if (conditions.cut_after) return delay_text(*conditions.cut_after);
  if (conditions.cut_probability > 0) return fmt::format("{}/s", conditions.cut_probability);
  return {};
}

std::string describe(const LinkConditions& conditions) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  };
  if (conditions.delay.count() > 0) add("delay", delay_text(conditions.delay));
  if (conditions.jitter.count() > 0) add("jitter", delay_text(conditions.jitter));
  if (conditions.bits_per_second > 0) add("rate", rate_text(conditions.bits_per_second));
  if (const std::string loss = loss_text(conditions); !loss.empty()) add("loss", loss);
  return text;
}

}  // namespace sotto::net
