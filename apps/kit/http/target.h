// The target of a request, taken apart: the segments of its path and its query, decoded.
//
// Taken are the origin form ("/v1/events/ab?wait_ms=5") and the absolute form of http and https, whose authority is
// ignored as it is the server's own. A decoded text is UTF-8 without control characters; "%2F" within a segment is a
// character of that segment and parts nothing.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

inline constexpr std::size_t longest_target = 4096;  // bytes
inline constexpr std::size_t most_segments = 16;
inline constexpr std::size_t most_query_names = 16;

struct Target {
  std::vector<std::string> segments;  // of "/" one empty one
  std::map<std::string, std::string, std::less<>> query;
};

// Nothing if it is none: not of these forms, longer, a bad escape, a name twice in the query, more than there may be.
[[nodiscard]] std::optional<Target> parse_target(std::string_view text);

// The text with its %XX replaced; nothing if one is incomplete, or if what comes out is no UTF-8 or holds a control
// character.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace sotto::apps
