// Options that take a number. A simple parser would turn -5 into a huge count, truncate a number that is too large,
// read 010 as 8, and accept nan. The options of this file refuse every text that is not a number in the expected range.
// The error shows the text that the user typed, the flag, and the expected range.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/count.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps {

// The kind of the value that an option or a TOML key takes.
enum class ValueKind : std::uint8_t {
  text,    // "..."
  path,    // "..."; relative to the config file's folder, or to the working folder in flags and variables
  whole,   // a whole number, 0 to 2^63 - 1
  real,    // a number, with or without a point
  choice,  // true or false
};

// The largest whole number, the same as in a config (apps/kit/settings/setting.h).
constexpr std::uint64_t largest_whole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_descriptor = std::numeric_limits<int>::max();

// The numbers that an option accepts, for Option::number(). All elements of a list have the same kind, which --help
// also shows.
struct NumberKind {
  std::string expected;
  std::string help;                                                    // empty if no bounds need to be mentioned
  std::function<std::optional<std::string>(const std::string&)> read;  // the number in canonical form
};

// The kind of whole numbers from `least` to `most`.
[[nodiscard]] NumberKind whole(std::uint64_t least = 0, std::uint64_t most = largest_whole);
// The kind of finite numbers.
[[nodiscard]] NumberKind real();
[[nodiscard]] NumberKind real(double least, double most);
[[nodiscard]] NumberKind real_from_zero();
[[nodiscard]] NumberKind real_above_zero();

// Reads the address at which another role is reached, which a user writes into a config or after a flag.

// Reads an address as net::parse_address does, but refuses 0.0.0.0 and [::]. A role can listen on 0.0.0.0 and [::], but
// no role can be reached at these addresses.
[[nodiscard]] net::Address parse_peer(std::string_view text, const std::string& where);

}  // namespace sotto::apps
