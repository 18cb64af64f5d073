// Helpers for HTML and SVG.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

// Bytes that are not UTF-8, and control characters other than tab and newline, become U+FFFD. The result is safe in an
// element and in a quoted attribute.
std::string escape_html(std::string_view text);

// The content must be markup already, and the class is not escaped.
std::string element(std::string_view tag, std::string_view css_class, std::string_view content);

std::string titled_section(std::string_view heading, std::string_view content);

std::string scientific_html(double value);

constexpr const char* no_figure = "&ndash;";
template <typename Format>
std::string figure_of(const std::optional<double>& value, Format format) {
  return value ? std::string(format(*value)) : no_figure;
}

}  // namespace sotto::apps
