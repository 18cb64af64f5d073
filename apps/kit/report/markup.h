// Small helpers for writing HTML and SVG as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

// Writes & < > " ' as entities. Writes bytes that are not UTF-8, and control characters other than tab and newline, as
// the replacement character (U+FFFD). The result is safe as the text of an element and inside a quoted attribute.
std::string escape_html(std::string_view text);

// <tag class="css_class">content</tag>. The content must be markup already, and the class is not escaped.
std::string element(std::string_view tag, std::string_view css_class, std::string_view content);

// A <section> with a heading. The content must be markup already.
std::string titled_section(std::string_view heading, std::string_view content);

// A small number as people write it, such as "10<sup>-6</sup>" or "2.5 &middot; 10<sup>-7</sup>".
std::string scientific_html(double value);

// A dash, for a figure that is not known.
constexpr const char* no_figure = "&ndash;";
// The result of format(value), or no_figure if there is no value.
template <typename Format>
std::string figure_of(const std::optional<double>& value, Format format) {
  return value ? std::string(format(*value)) : no_figure;
}

}  // namespace sotto::apps
