// JSON as text for people and files: names of files are bytes, and what is not UTF-8 in one stands there as U+FFFD and
// is no error. Without `indent` on one line; no newline at the end.
#pragma once

#include <string>

namespace sotto::apps {

template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sotto::apps
