// Reads JSON from clients within limits. No error message contains a value of the JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"

namespace sotto::apps {

// The server answers an uncaught JsonError with status 400.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JsonLimits {
  std::size_t most_levels = 4;
  std::size_t most_values = 8192;   // arrays and objects included
  std::size_t longest_key = 64;     // bytes
  std::size_t longest_text = 1024;  // bytes
};

// Throws JsonError if the text is not one valid JSON value or exceeds the limits, if an object has a key twice, or if a
// number is no finite double.
[[nodiscard]] nlohmann::json read_json_body(std::string_view text, const JsonLimits& limits = {});

// The functions return nothing for a missing field. They throw JsonError for a field of another type or range, and for
// null.
class JsonFields {
 public:
  // `object` must outlive this JsonFields.
  explicit JsonFields(const nlohmann::json& object, std::string where = "");

  [[nodiscard]] std::optional<std::string> text(const char* name, std::size_t longest);
  [[nodiscard]] std::optional<bool> flag(const char* name);
  [[nodiscard]] std::optional<double> number(const char* name, double low, double high);
  // The number 1.0 is a whole number too.
  [[nodiscard]] std::optional<std::uint64_t> whole(const char* name, std::uint64_t low, std::uint64_t high);
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t count);
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const char* name, std::size_t most, std::size_t longest);
  // An object such as {"age": 0.4} has at most `most` entries.
  [[nodiscard]] std::optional<std::map<std::string, double>> named_numbers(const char* name, std::size_t most);
  // The result refers to the object of the constructor.
  [[nodiscard]] const nlohmann::json* object(const char* name);
  // The result has `rows` rows, such as [[0.1, 0.2], null].
  [[nodiscard]] std::optional<std::vector<std::optional<std::vector<double>>>> rows(const char* name, std::size_t rows,
                                                                                    std::size_t count);

  // A call of has() does not count as asking for the field.
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  // Throws JsonError if the field is missing.
  template <class Value>
  [[nodiscard]] Value need(std::optional<Value> value, const char* name) const {
    if (!value) refuse(name, "it is missing");
    return *std::move(value);
  }
  // Throws JsonError if the object has a field that the caller never asked for.
  void finish() const;
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  const nlohmann::json* find(const char* name);
  std::vector<double> numbers_of(const char* name, const nlohmann::json& value, std::size_t count) const;

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace sotto::apps
