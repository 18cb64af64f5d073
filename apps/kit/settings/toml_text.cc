#include "sotto/apps/kit/settings/toml_text.h"

#include <fmt/format.h>

#include <variant>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

struct Writer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return toml_real(value); }
  std::string operator()(const std::string& value) const { return toml_quoted(value); }
  std::string operator()(const std::vector<std::string>& values) const {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_quoted(value);
    return "[" + list + "]";
  }
};

// Other bytes as \xff: a message must be readable where the name is not.
std::string ascii(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string toml_quoted(const std::string& text) {
  if (!is_utf8(text)) {
    throw InputError(
        fmt::format("'{}' is not text in UTF-8, as a config is: give that file or folder another name", ascii(text)));
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_real(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(const ConfigScalar& value) { return std::visit(Writer{}, value); }

}  // namespace sotto::apps
