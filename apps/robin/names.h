// The words by which flags and reports know the choices of a ROBIN run.
#pragma once

#include <string>
#include <string_view>

#include "sotto/apps/robin/settings.h"

namespace sotto::apps {

// "gaussian", "laplace".
[[nodiscard]] std::string noise_text(NoiseKind noise);
// "private", "last".
[[nodiscard]] std::string range_text(RangeKind range);

// InputError that begins with `where`, for anything else.
[[nodiscard]] NoiseKind parse_noise(std::string_view text, const std::string& where);
[[nodiscard]] RangeKind parse_range(std::string_view text, const std::string& where);

}  // namespace sotto::apps
