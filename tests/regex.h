// Regular expressions of ECMAScript's kind. Only regex.cc compiles std::regex, because std::regex is slow to compile.
#pragma once

#include <string>
#include <vector>

namespace sotto {

// matches: the pattern matches the whole text. has_match: the pattern matches some part of the text.
[[nodiscard]] bool matches(const std::string& text, const std::string& pattern);
[[nodiscard]] bool has_match(const std::string& text, const std::string& pattern);

// Each match is a list of the whole match and then its groups.
[[nodiscard]] std::vector<std::vector<std::string>> matches_in(const std::string& text, const std::string& pattern);

[[nodiscard]] std::string without_matches(const std::string& text, const std::string& pattern);

}  // namespace sotto
