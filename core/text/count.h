// A number and the noun that it counts: "1 step", "2 steps", "3 parties".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// The noun, which is given in the singular, as it stands after the number: "step" after 1, "steps" after any other.
[[nodiscard]] std::string noun(std::uint64_t number, std::string_view singular);

// The number as well: "1 step", "60000 steps".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view singular);

}  // namespace sotto
