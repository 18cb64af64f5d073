// Options that take a number. They refuse texts such as 010 or nan.
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

enum class ValueKind : std::uint8_t {
  text,   // "..."
  path,   // relative to the config's folder, or to the working folder for a flag
  whole,  // 0 to 2^63 - 1
  real,
  choice,  // true or false
};

constexpr std::uint64_t largest_whole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_descriptor = std::numeric_limits<int>::max();

// For Option::number().
struct NumberKind {
  std::string expected;
  std::string help;
  // Returns the canonical form of a valid text, and nothing for an invalid text.
  std::function<std::optional<std::string>(const std::string&)> read;
};

[[nodiscard]] NumberKind whole(std::uint64_t least = 0, std::uint64_t most = largest_whole);
[[nodiscard]] NumberKind real();
[[nodiscard]] NumberKind real(double least, double most);
[[nodiscard]] NumberKind real_from_zero();
[[nodiscard]] NumberKind real_above_zero();

// Refuses 0.0.0.0 and [::], which no role can connect to.
[[nodiscard]] net::Address parse_peer(std::string_view text, const std::string& where);

}  // namespace sotto::apps
