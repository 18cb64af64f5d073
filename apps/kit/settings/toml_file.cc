#include "apps/kit/settings/toml_file.h"

#include <fmt/format.h>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

std::string toml_place(const std::string& file, const toml::source_region& source) {
  if (!source.begin) return file;
  return fmt::format("{}:{}:{}", file, source.begin.line, source.begin.column);
}

toml::table parse_toml(const std::string& text, const std::string& file, std::size_t longest) {
  check_toml_limits(text, file, longest);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    // The message of the parser may quote any bytes of the file.
    throw InputError(toml_place(file, error.source()), terminal_safe(error.description().substr(0, 200)));
  }
}

}  // namespace sotto::apps
