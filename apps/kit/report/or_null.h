// A figure of run.json that may be missing. Json: ordered, or nlohmann::json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace sotto::apps {

template <class Json = nlohmann::ordered_json, class Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace sotto::apps
