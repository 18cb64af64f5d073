// Values as TOML writes them.
#pragma once

#include <string>

#include "apps/config/document.h"

namespace sotto::apps {

// A basic string, quoted and escaped. The text must be UTF-8.
[[nodiscard]] std::string toml_quoted(const std::string& text);

// With a point, an exponent, "inf" or "nan": what reads back as the same number of TOML's floats.
[[nodiscard]] std::string toml_real(double value);

[[nodiscard]] std::string toml_text(const ConfigScalar& value);

}  // namespace sotto::apps
