// Checks the limits of a config before the TOML parser reads the config, and writes values as TOML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/kit/settings/document.h"

namespace sotto::apps {

// The limits exist because the TOML parser and the destructor of its result recurse once for each level of tables.
// Without limits, a few dozen KB of dots or brackets would use up the stack.
inline constexpr std::size_t longest_config = 64 * 1024;     // most bytes of a config
inline constexpr std::size_t most_dots_in_a_line = 256;      // most dots in a line, outside strings and comments
inline constexpr std::size_t most_brackets_in_brackets = 8;  // most levels of [ and { together; a config needs two

// Throws InputError with file:line if the text is too long, has too many dots in a line, nests brackets too deeply, or
// is no text. `longest` may differ for TOML files that are no configs. After this check no table is nested deeper than
// 9 x 256 levels.
void check_toml_limits(std::string_view text, const std::string& file, std::size_t longest = longest_config);

// Whether the text is UTF-8, as TOML requires.
[[nodiscard]] bool is_utf8(std::string_view text);

// The text as a basic string of TOML, quoted and escaped. Throws InputError if the text is not UTF-8; the name of a
// file may not be UTF-8.
[[nodiscard]] std::string toml_quoted(const std::string& text);

// The value as a number with a point or an exponent, or as "inf" or "nan". TOML reads the text back as the same float.
[[nodiscard]] std::string toml_real(double value);

[[nodiscard]] std::string toml_text(const ConfigScalar& value);

}  // namespace sotto::apps
