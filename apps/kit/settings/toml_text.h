// Checks the limits of config files, and writes values in TOML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/kit/settings/document.h"

namespace sotto::apps {

// The TOML parser calls itself once for each level of tables. Without limits, a few dozen KB of dots or brackets would
// use up the stack.
inline constexpr std::size_t longest_config = 64 * 1024;     // bytes
inline constexpr std::size_t most_dots_in_a_line = 256;      // outside of strings
inline constexpr std::size_t most_brackets_in_brackets = 8;  // a config needs two

// Throws InputError with file:line if the text is too long, has too many dots in a line, nests brackets too deeply, or
// is no text.
void check_toml_limits(std::string_view text, const std::string& file, std::size_t longest = longest_config);

[[nodiscard]] bool is_utf8(std::string_view text);

// Throws InputError if the text is not UTF-8; the name of a file may be such a text.
[[nodiscard]] std::string toml_quoted(const std::string& text);

// TOML reads the text as the same float.
[[nodiscard]] std::string toml_real(double value);

[[nodiscard]] std::string toml_text(const ConfigScalar& value);

}  // namespace sotto::apps
