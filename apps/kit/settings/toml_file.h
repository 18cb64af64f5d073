// Parses a TOML file within limits.
#pragma once

#include <cstddef>
#include <string>

#include <toml++/toml.h>

#include "apps/kit/settings/toml_text.h"

namespace sotto::apps {

// Throws InputError with file:line:column if the text is no TOML or exceeds the limits of toml_text.h.
[[nodiscard]] toml::table parse_toml(const std::string& text, const std::string& file,
                                     std::size_t longest = longest_config);

[[nodiscard]] std::string toml_place(const std::string& file, const toml::source_region& source);

}  // namespace sotto::apps
