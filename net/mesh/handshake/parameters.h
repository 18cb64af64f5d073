// The static parameters of a run as canonical text, one "key = value" a line, and what differs between two of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sotto::net {

// The first line of `mine` that `theirs` lacks or has otherwise, else the first that only `theirs` has: "epsilon = 0.1
// here, 0.2 at party 1". Nothing if the texts are equal. What comes from the peer is cut and made printable.
[[nodiscard]] std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                                          const std::string& their_name);

}  // namespace sotto::net
