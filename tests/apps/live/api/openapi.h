// docs/reference/openapi.json, and checks of requests and answers against it.
#pragma once

#include <set>
#include <string>

#include "apps/kit/files/json.h"
#include "tests/framework.h"
#include "tests/regex.h"

namespace sotto::apps::live::api_test {

// Checks the subset of JSON Schema that docs/reference/openapi.json uses. An unknown keyword is reported as a fault of
// the schema, so no part of that file goes unchecked.
class SchemaCheck {
 public:
  explicit SchemaCheck(const nlohmann::json& document) : document_(document) {}

  // Returns the first place where the value breaks the schema, such as "/peers/0/role: ..."; empty if the value is
  // valid.
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

struct HttpExchange {
  std::string role;
  std::string method;
  std::string path;
  std::string body;
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // the headers of the answer, with names in lower case
  std::string answer;
};

class OpenApi {
 public:
  static const OpenApi& instance() {
    static const OpenApi file;
    return file;
  }
  [[nodiscard]] const nlohmann::json& document() const { return document_; }

  [[nodiscard]] std::string pattern_of(const std::string& path) const {
    const std::string bare = path.substr(0, path.find('?'));
    if (document_["paths"].contains(bare)) return bare;
    for (const auto& [pattern, ignored] : document_["paths"].items()) {
      const std::size_t at = pattern.find("{event}");
      if (at == std::string::npos) continue;
      const std::string tail = pattern.substr(at + 7);
      if (bare.size() <= at + tail.size() || !bare.starts_with(pattern.substr(0, at)) || !bare.ends_with(tail))
        continue;
      if (bare.substr(at, bare.size() - at - tail.size()).find('/') == std::string::npos) return pattern;
    }
    return "";
  }

  [[nodiscard]] std::string fault(const HttpExchange& exchange) const {
    const std::string pattern = pattern_of(exchange.path);
    std::string method = exchange.method;
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(std::tolower(c)); });
    const nlohmann::json operation =
        pattern.empty() ? nlohmann::json() : document_["paths"][pattern].value(method, nlohmann::json());
    const bool is_known = !operation.is_null() && has(operation["x-roles"], exchange.role);
    if (!is_known) return fault_of_usual(exchange, exchange.status == 404 || exchange.status == 405);
    if (exchange.status < 400) {
      const std::string fault = fault_of_request(operation, exchange);
      if (!fault.empty()) return "the request: " + fault;
    }
    const std::string code = std::to_string(exchange.status);
    if (!operation["responses"].contains(code)) return fault_of_usual(exchange, exchange.status >= 400);
    return fault_of_response(operation["responses"][code], exchange);
  }

 private:
  using Json = nlohmann::json;

  OpenApi() {
    std::ifstream file(std::string(sotto_source) + "/docs/reference/openapi.json");
    document_ = Json::parse(file);
  }
  static bool has(const Json& list, const Json& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }
  static std::string type_of(const HttpExchange& exchange) {
    const auto found = exchange.headers.find("content-type");
    return found == exchange.headers.end() ? "" : found->second.substr(0, found->second.find(';'));
  }
  static std::vector<std::string> lines_of_text(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] std::string fault_of_content(const Json& content, const std::string& type,
                                             const std::string& text) const {
    if (!content.contains(type)) return "the type '" + type + "' is not in the file";
    const Json& entry = content[type];
    const SchemaCheck check(document_);
    if (entry.contains("x-line")) {
      for (const std::string& line : lines_of_text(text)) {
        const std::string fault = check.fault(entry["x-line"], Json::parse(line));
        if (!fault.empty()) return fault;
      }
      return "";
    }
    return check.fault(entry["schema"], type.ends_with("json") ? Json::parse(text) : Json(text));
  }
  [[nodiscard]] std::string fault_of_request(const Json& operation, const HttpExchange& exchange) const {
    if (!operation.contains("requestBody")) return exchange.body.empty() ? "" : "a body that the file does not have";
    const Json& content = operation["requestBody"]["content"];
    const bool is_lines = content.contains("application/x-ndjson");
    // A request body of lines is not checked as a whole, because each wrong line has a separate answer.
    return is_lines ? "" : fault_of_content(content, "application/json", exchange.body);
  }
  [[nodiscard]] std::string fault_of_response(const Json& response, const HttpExchange& exchange) const {
    const Json headers = response.value("headers", Json::object());
    for (const auto& [name, header] : headers.items()) {
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](char c) { return static_cast<char>(std::tolower(c)); });
      const auto found = exchange.headers.find(lower);
      if (found == exchange.headers.end()) return "the header " + name + " is missing";
      const bool is_number = header["schema"]["type"] == "integer";
      const Json value = is_number ? Json::parse(found->second) : Json(found->second);
      const std::string fault = SchemaCheck(document_).fault(header["schema"], value);
      if (!fault.empty()) return "the header " + name + fault;
    }
    if (!response.contains("content")) return exchange.answer.empty() ? "" : "a body that the file does not have";
    if (response.contains("x-problems")) {
      const Json body = Json::parse(exchange.answer, nullptr, false);
      const std::string name = name_of_problem(body);
      if (!has(response["x-problems"], name) && !is_usual(name, exchange.status)) return "the problem " + name;
      if (body.value("status", 0U) != exchange.status) return "the problem has another status";
    }
    return fault_of_content(response["content"], type_of(exchange), exchange.answer);
  }
  static std::string name_of_problem(const Json& body) {
    const std::string type = body.is_object() ? body.value("type", "") : "";
    return type.starts_with("urn:sotto:") ? type.substr(10) : type;
  }
  [[nodiscard]] bool is_usual(const std::string& name, unsigned status) const {
    const Json& usual = document_["components"]["responses"]["Usual"]["content"]["application/problem+json"]["x-usual"];
    return usual.value(name, 0U) == status;
  }
  [[nodiscard]] std::string fault_of_usual(const HttpExchange& exchange, bool may_be) const {
    const std::string code = std::to_string(exchange.status);
    if (!may_be) return "the file has no status " + code + " of " + exchange.method + " " + exchange.path;
    const Json body = Json::parse(exchange.answer, nullptr, false);
    if (!is_usual(name_of_problem(body), exchange.status)) return "no usual problem: " + code + " " + exchange.answer;
    const bool waits = exchange.headers.contains("retry-after");
    if ((exchange.status == 503) != waits) return "Retry-After goes with 503";
    const Json& usual = document_["components"]["responses"]["Usual"];
    return fault_of_content(usual["content"], type_of(exchange), exchange.answer);
  }

  Json document_;
};

}  // namespace sotto::apps::live::api_test
