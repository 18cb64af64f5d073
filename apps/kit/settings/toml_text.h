// Values as TOML writes them.
#pragma once

#include <string>
#include <string_view>

#include "sotto/apps/kit/settings/document.h"

namespace sotto::apps {

// A config is written as TOML, which is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

// A basic string, quoted and escaped. Throws InputError where the text is not UTF-8, as the name of a file may be.
[[nodiscard]] std::string toml_quoted(const std::string& text);

// With a point, an exponent, "inf" or "nan": what reads back as the same number of TOML's floats.
[[nodiscard]] std::string toml_real(double value);

[[nodiscard]] std::string toml_text(const ConfigScalar& value);

}  // namespace sotto::apps
