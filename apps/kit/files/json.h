// The JSON library of nlohmann for all programs. Only json.cc compiles the templates of the library, which saves a
// fifteenth of the build time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace sotto::apps {

using JsonInput = decltype(nlohmann::detail::input_adapter(std::declval<const std::string&>()));

// Bytes that are not UTF-8, as in names of files, become U+FFFD.

template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sotto::apps

// SOTTO_JSON is `extern template` here and `template` in json.cc.
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
