// Regular expressions of ECMAScript's kind for tests, compiled in regex.cc alone: std::regex is slow to compile.
#pragma once

#include <string>
#include <vector>

namespace sotto {

// The pattern is the whole text; it is somewhere in it.
[[nodiscard]] bool matches(const std::string& text, const std::string& pattern);
[[nodiscard]] bool has_match(const std::string& text, const std::string& pattern);

// Each place where the pattern is: all of it, then its groups.
[[nodiscard]] std::vector<std::vector<std::string>> matches_in(const std::string& text, const std::string& pattern);

// The text without what the pattern matches.
[[nodiscard]] std::string without_matches(const std::string& text, const std::string& pattern);

}  // namespace sotto
