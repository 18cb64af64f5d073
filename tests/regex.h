// Regular expressions of ECMAScript's kind, for tests. Only regex.cc compiles code of std::regex, because std::regex
// is slow to compile.
#pragma once

#include <string>
#include <vector>

namespace sotto {

// matches: the pattern is the whole text. has_match: the pattern is somewhere in the text.
[[nodiscard]] bool matches(const std::string& text, const std::string& pattern);
[[nodiscard]] bool has_match(const std::string& text, const std::string& pattern);

// All matches of the pattern in the text. Each match is a list of the whole match and then its groups.
[[nodiscard]] std::vector<std::vector<std::string>> matches_in(const std::string& text, const std::string& pattern);

// The text without the parts that the pattern matches.
[[nodiscard]] std::string without_matches(const std::string& text, const std::string& pattern);

}  // namespace sotto
