// Text of others, safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sotto {

// Text from a peer with everything but printable ASCII replaced, cut to `longest` characters: safe to show on a
// terminal.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 512);

}  // namespace sotto
