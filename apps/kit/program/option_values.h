// Options that take a number. Parsers by themselves wrap -5 round to a huge count, cut what is too large, read 010 as 8
// and take nan; here what is no number of the range is refused as it was typed, with the flag and what was expected.
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

// What a value is, of an option and in TOML.
enum class ValueKind : std::uint8_t {
  text,    // "..."
  path,    // "...", relative to the folder of the file, or of the process for flags and variables
  whole,   // a whole number, 0 to 2^63 - 1
  real,    // a number, with or without a point
  choice,  // true or false
};

// As a config has it (apps/kit/settings/setting.h).
constexpr std::uint64_t largest_whole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_descriptor = std::numeric_limits<int>::max();

// What an option takes, for Option::number(), every element of a list alike. --help says it too.
struct NumberKind {
  std::string expected;
  std::string help;                                                    // empty where there are no bounds to speak of
  std::function<std::optional<std::string>(const std::string&)> read;  // the number in canonical form
};

// A whole number, from `least` to `most`.
[[nodiscard]] NumberKind whole(std::uint64_t least = 0, std::uint64_t most = largest_whole);
// A finite number.
[[nodiscard]] NumberKind real();
[[nodiscard]] NumberKind real(double least, double most);
[[nodiscard]] NumberKind real_from_zero();
[[nodiscard]] NumberKind real_above_zero();

// Where another role is reached, as somebody writes it into a config or behind a flag.

// As net::parse_address; also refuses 0.0.0.0 and [::], on which a role can listen, and where none is reached.
[[nodiscard]] net::Address parse_peer(std::string_view text, const std::string& where);

}  // namespace sotto::apps
