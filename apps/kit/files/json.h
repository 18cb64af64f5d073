// JSON as all programs read and write it: nlohmann's, whose templates are compiled in json.cc alone. They took a
// fifteenth of the time of a build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace sotto::apps {

// What reads JSON out of a text.
using JsonInput = decltype(nlohmann::detail::input_adapter(std::declval<const std::string&>()));

// JSON as text for people and files: names of files are bytes, and what is not UTF-8 in one stands there as U+FFFD and
// is no error. Without `indent` on one line; no newline at the end.

template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sotto::apps

// SOTTO_JSON is what makes each of them: `extern template`, that it is elsewhere, or `template`, that it is here.
// NOLINTBEGIN(bugprone-macro-parentheses): no expression
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
