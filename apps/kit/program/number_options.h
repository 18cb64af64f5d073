// Options that take a number. CLI11 by itself wraps -5 round to a huge count, cuts what is too large,
// reads 010 as 8 and takes nan; here what is no number of the range is refused as it was typed, with
// the flag and what was expected.
#pragma once

#include <cstdint>
#include <limits>

namespace CLI {
class Option;
class Validator;
}  // namespace CLI

namespace sotto::apps {

// As a config has it (apps/kit/settings/keys.h).
constexpr std::uint64_t largest_whole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_descriptor = std::numeric_limits<int>::max();

// What an option takes, for its transform(), which CLI11 applies to every element of a list. --help
// says it too.

// A whole number, from `least` to `most`.
[[nodiscard]] CLI::Validator whole(std::uint64_t least = 0, std::uint64_t most = largest_whole);
// A finite number.
[[nodiscard]] CLI::Validator real();
[[nodiscard]] CLI::Validator real(double least, double most);
[[nodiscard]] CLI::Validator real_from_zero();
[[nodiscard]] CLI::Validator real_above_zero();

// Whether the option has one of these: so a test finds an option that was forgotten.
[[nodiscard]] bool takes_number(CLI::Option& option);

}  // namespace sotto::apps
