// SHA-256 (FIPS 180-4), of OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sotto {

// Throws ResourceError where OpenSSL has none.
[[nodiscard]] std::array<std::byte, 32> sha256(std::string_view text);

}  // namespace sotto
