// The text of a config as a TOML table; the limits of toml_text.h hold.
#pragma once

#include <string>

#include <toml++/toml.h>

namespace sotto::apps {

// Throws InputError with file:line:column where the text is no TOML, or is beyond the limits.
[[nodiscard]] toml::table parse_toml(const std::string& text, const std::string& file);

// "file:line:column"; the file alone where the source is not known.
[[nodiscard]] std::string toml_place(const std::string& file, const toml::source_region& source);

}  // namespace sotto::apps
