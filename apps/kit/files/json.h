// All programs use the JSON library of nlohmann. The templates of the library are compiled only in json.cc, because
// compiling them everywhere took a fifteenth of the time of a build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace sotto::apps {

// The type of the input that nlohmann's library makes from a text.
using JsonInput = decltype(nlohmann::detail::input_adapter(std::declval<const std::string&>()));

// Returns JSON as text for people and files. Bytes that are not UTF-8, which the name of a file may contain, become
// U+FFFD without an error. Without `indent` the text is one line. The text has no newline at its end.

template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sotto::apps

// SOTTO_JSON is the keyword before each template: `extern template` declares templates that json.cc compiles, and
// `template` compiles them in json.cc. NOLINTBEGIN(bugprone-macro-parentheses): no expression
#define SOTTO_JSON_TEMPLATES(SOTTO_JSON)                                             \
  SOTTO_JSON class nlohmann::basic_json<>;                                           \
  SOTTO_JSON class nlohmann::basic_json<nlohmann::ordered_map>;                      \
  SOTTO_JSON class nlohmann::detail::serializer<nlohmann::json>;                     \
  SOTTO_JSON class nlohmann::detail::serializer<nlohmann::ordered_json>;             \
  SOTTO_JSON class nlohmann::detail::lexer<nlohmann::json, sotto::apps::JsonInput>;  \
  SOTTO_JSON class nlohmann::detail::parser<nlohmann::json, sotto::apps::JsonInput>; \
  SOTTO_JSON class nlohmann::detail::json_sax_dom_parser<nlohmann::json>;            \
  SOTTO_JSON class nlohmann::detail::json_sax_dom_callback_parser<nlohmann::json>
// NOLINTEND(bugprone-macro-parentheses)

SOTTO_JSON_TEMPLATES(extern template);
