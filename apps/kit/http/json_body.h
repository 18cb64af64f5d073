// Reads JSON from clients within limits, and extracts fields with one clear error for each fault. No error contains a
// value of the body. Errors show the names of fields in printable form and cut.
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

// The fault of a body: `field "x": expected 10 numbers, got 9`. If a handler lets it pass, the answer is 400.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JsonLimits {
  std::size_t most_levels = 4;      // most levels of nested arrays and objects
  std::size_t most_values = 8192;   // most values in total, arrays and objects included
  std::size_t longest_key = 64;     // most bytes of a key
  std::size_t longest_text = 1024;  // most bytes of a text
};

// Reads one value of JSON (RFC 8259) in UTF-8, with only blanks around it. Throws JsonError if the text is no such
// value or exceeds the limits, if an object has a key twice, or if a number is no finite double. Memory: about 100
// bytes a value.
[[nodiscard]] nlohmann::json read_json_body(std::string_view text, const JsonLimits& limits = {});

// The fields of one object. The caller asks for each field once by its type. A field that no call has asked for is a
// fault (finish()). A missing field gives nothing, and a field of another type or range gives a JsonError. null is a
// value of no type.
class JsonFields {
 public:
  // `object` must outlive this object. Throws JsonError if it is no object. `where` is a prefix of errors: "line 3: ".
  explicit JsonFields(const nlohmann::json& object, std::string where = "");

  [[nodiscard]] std::optional<std::string> text(const char* name, std::size_t longest);  // the text has at least 1 byte
  [[nodiscard]] std::optional<bool> flag(const char* name);
  [[nodiscard]] std::optional<double> number(const char* name, double low, double high);
  // 1 and 1.0 are both whole, because JSON has only one kind of number.
  [[nodiscard]] std::optional<std::uint64_t> whole(const char* name, std::uint64_t low, std::uint64_t high);
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t count);
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const char* name, std::size_t most, std::size_t longest);
  // An object such as {"age": 0.4}, with at most `most` entries.
  [[nodiscard]] std::optional<std::map<std::string, double>> named_numbers(const char* name, std::size_t most);
  // An object with any content. Null if the field is missing. The result lives as long as the object that contains it.
  [[nodiscard]] const nlohmann::json* object(const char* name);
  // Rows such as [[0.1, 0.2], null]: `rows` of them, each with `count` numbers or null.
  [[nodiscard]] std::optional<std::vector<std::optional<std::vector<double>>>> rows(const char* name, std::size_t rows,
                                                                                    std::size_t count);

  // Whether the field exists. This call does not count as asking for the field.
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  // The value of a required field, as in need(fields.text("event", 32), "event").
  template <class Value>
  [[nodiscard]] Value need(std::optional<Value> value, const char* name) const {
    if (!value) refuse(name, "it is missing");
    return *std::move(value);
  }
  // Throws JsonError for a field that none of these calls has asked for.
  void finish() const;
  // Throws `field "x": why`, for faults that only the caller can detect.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  const nlohmann::json* find(const char* name);
  std::vector<double> numbers_of(const char* name, const nlohmann::json& value, std::size_t count) const;

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace sotto::apps
