// Small helpers for writing HTML and SVG as text.
#pragma once

#include <string>
#include <string_view>

namespace sotto::apps {

// & < > " ' as entities, control characters other than tab and newline and bytes that are not UTF-8
// as U+FFFD: safe as the text of an element and inside a quoted attribute.
std::string escape_html(std::string_view text);

// <tag class="css_class">content</tag>; the content is markup, the class is not escaped.
std::string element(std::string_view tag, std::string_view css_class, std::string_view content);

}  // namespace sotto::apps
