#include "apps/kit/report/markup.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::string_view entity(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool is_control(char character) {
  const auto code = static_cast<std::uint8_t>(character);
  return (code < 0x20 && character != '\t' && character != '\n') || code == 0x7F;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view special = entity(text[at]);
    if (length == 0 || (length == 1 && is_control(text[at]))) {
      out += replacement;
    } else if (!special.empty()) {
      out += special;
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string element(std::string_view tag, std::string_view css_class, std::string_view content) {
  const std::string attribute = css_class.empty() ? "" : fmt::format(R"( class="{}")", css_class);
  return fmt::format("<{0}{1}>{2}</{0}>\n", tag, attribute, content);
}

std::string titled_section(std::string_view heading, std::string_view content) {
  return element("section", "", element("h2", "", heading).append(content));
}

std::string scientific_html(double value) {
  std::string text = fmt::format("{:g}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const int exponent = std::stoi(text.substr(e + 1));
  const std::string digits = text.substr(0, e);
  return fmt::format("{}10<sup>{}{}</sup>", digits == "1" ? "" : digits + " &middot; ", exponent < 0 ? "&minus;" : "",
                     std::abs(exponent));
}

}  // namespace sotto::apps
