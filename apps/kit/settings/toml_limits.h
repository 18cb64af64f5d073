// What a config may hold before the TOML parser sees it: the parser, and the end of what it makes, go one call deeper
// for each level of tables, so that a few dozen KB of dots or brackets would use up the stack.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto::apps {

inline constexpr std::size_t longest_config = 64 * 1024;     // bytes
inline constexpr std::size_t most_dots_in_a_line = 256;      // outside strings and comments
inline constexpr std::size_t most_brackets_in_brackets = 8;  // [ and { alike; a config needs two

// Throws InputError with file:line where the text is longer, has more dots or deeper brackets, or is no text. No level
// of a table is then deeper than 9 x 256.
void check_toml_limits(std::string_view text, const std::string& file);

}  // namespace sotto::apps
