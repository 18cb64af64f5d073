// The subset of JSON Schema that docs/openapi.json uses, checked. A keyword that is not known here is a fault of the
// schema, so that nothing in that file goes unchecked.
#pragma once

#include <set>
#include <string>

#include "apps/kit/files/json.h"
#include "tests/framework.h"
#include "tests/regex.h"

namespace sotto::apps::live::api_test {

class SchemaCheck {
 public:
  explicit SchemaCheck(const nlohmann::json& document) : document_(document) {}

  // Where the value is not as the schema says: "/peers/0/role: ..."; empty if it is.
  [[nodiscard]] std::string fault(const nlohmann::json& schema, const nlohmann::json& value,
                                  const std::string& at = "") const {
    for (const auto& [keyword, content] : schema.items()) {
      const std::string found = fault_of(keyword, content, schema, value, at);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  using Json = nlohmann::json;

  static bool is_of(const std::string& type, const Json& value) {
    if (type == "integer") {
      return value.is_number_integer() ||
             (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
    }
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    throw std::runtime_error("schema: unknown type " + type);
  }

  [[nodiscard]] std::string fault_of(const std::string& keyword, const Json& content, const Json& schema,
                                     const Json& value, const std::string& at) const {
    const auto no = [&](const std::string& why) { return (at.empty() ? "/" : at) + ": " + why; };
    static const std::set<std::string> notes{"description", "default"};
    if (notes.contains(keyword)) return "";
    if (keyword == "$ref")
      return fault(document_.at(Json::json_pointer(content.get<std::string>().substr(1))), value, at);
    if (keyword == "const") return value == content ? "" : no("expected " + content.dump());
    if (keyword == "enum") {
      return std::find(content.begin(), content.end(), value) != content.end() ? "" : no("none of " + content.dump());
    }
    if (keyword == "type") {
      const Json types = content.is_array() ? content : Json::array({content});
      const bool holds = std::any_of(types.begin(), types.end(), [&](const Json& type) { return is_of(type, value); });
      return holds ? "" : no("no " + content.dump());
    }
    if (keyword == "oneOf") {
      std::string faults;
      int matches = 0;
      for (const Json& each : content) {
        const std::string found = fault(each, value, at);
        if (found.empty()) ++matches;
        faults += " [" + found + "]";
      }
      return matches == 1 ? "" : no(std::to_string(matches) + " of oneOf match:" + faults);
    }
    if (keyword == "minimum" || keyword == "maximum") {
      if (!value.is_number()) return "";
      const bool holds = keyword == "minimum" ? value.get<double>() >= content : value.get<double>() <= content;
      return holds ? "" : no(keyword + " " + content.dump());
    }
    if (keyword == "minLength" || keyword == "maxLength") {
      if (!value.is_string()) return "";
      const auto length = value.get_ref<const std::string&>().size();
      return (keyword == "minLength" ? length >= content : length <= content) ? "" : no(keyword + " " + content.dump());
    }
    if (keyword == "pattern") {
      if (!value.is_string()) return "";
      return has_match(value.get<std::string>(), content.get<std::string>()) ? "" : no("pattern");
    }
    if (keyword == "required") {
      for (const Json& name : content) {
        if (value.is_object() && !value.contains(name.get<std::string>())) return no("lacks " + name.dump());
      }
      return "";
    }
    if (keyword == "items") return fault_of_items(content, value, at);
    if (keyword == "properties" || keyword == "additionalProperties")
      return fault_of_fields(keyword, content, schema, value, at);
    throw std::runtime_error("schema: unknown keyword " + keyword);
  }

  [[nodiscard]] std::string fault_of_items(const Json& items, const Json& value, const std::string& at) const {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      std::string found = fault(items, value[i], at + "/" + std::to_string(i));
      if (!found.empty()) return found;
    }
    return "";
  }

  [[nodiscard]] std::string fault_of_fields(const std::string& keyword, const Json& content, const Json& schema,
                                            const Json& value, const std::string& at) const {
    if (!value.is_object()) return "";
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, field] : value.items()) {
      const std::string place = at + "/" + name;
      std::string found;
      if (keyword == "properties" && content.contains(name)) found = fault(content.at(name), field, place);
      if (keyword == "additionalProperties" && !known.contains(name)) {
        found = content == Json(false) ? place + ": not known" : fault(content, field, place);
      }
      if (!found.empty()) return found;
    }
    return "";
  }

  const Json& document_;
};

}  // namespace sotto::apps::live::api_test
