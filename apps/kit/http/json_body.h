// Reads JSON from clients within limits, and extracts fields with one clear error for each fault. No error contains a
// value of the body. The names of fields in errors are made printable and are cut if they are long.
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

// The fault of a body, such as `field "x": expected 10 numbers, got 9`. If a handler does not catch a JsonError, the
// answer has status 400.
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

// Reads one value of JSON (RFC 8259) in UTF-8, with only blanks around it. Throws JsonError if the text is not one
// valid JSON value or exceeds the limits, if an object has a key twice, or if a number is no finite double. The result
// takes about 100 bytes of memory per value.
[[nodiscard]] nlohmann::json read_json_body(std::string_view text, const JsonLimits& limits = {});

// Reads the fields of one JSON object. The caller asks for each field once, by the function of the field's type.
// A call of finish() throws if the object has a field that no call has asked for. For a missing field the functions
// return nothing, and for a field of another type or range the functions throw JsonError. The value null has none of
// the types.
class JsonFields {
 public:
  // The value `object` must outlive the JsonFields. Throws JsonError if the value is no JSON object. `where` is a
  // prefix of all errors, such as a line number with a colon.
  explicit JsonFields(const nlohmann::json& object, std::string where = "");

  [[nodiscard]] std::optional<std::string> text(const char* name, std::size_t longest);  // has at least 1 byte
  [[nodiscard]] std::optional<bool> flag(const char* name);
  [[nodiscard]] std::optional<double> number(const char* name, double low, double high);
  // Reads a whole number. 1 and 1.0 are both whole numbers, because JSON has only one kind of number.
  [[nodiscard]] std::optional<std::uint64_t> whole(const char* name, std::uint64_t low, std::uint64_t high);
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t count);
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const char* name, std::size_t most, std::size_t longest);
  // Reads an object such as {"age": 0.4}, with at most `most` entries.
  [[nodiscard]] std::optional<std::map<std::string, double>> named_numbers(const char* name, std::size_t most);
  // Returns an object with any content, or null if the field is missing. The result is valid while the object that the
  // constructor received exists.
  [[nodiscard]] const nlohmann::json* object(const char* name);
  // Reads rows such as [[0.1, 0.2], null]. There must be `rows` rows, and each row must be null or have `count`
  // numbers.
  [[nodiscard]] std::optional<std::vector<std::optional<std::vector<double>>>> rows(const char* name, std::size_t rows,
                                                                                    std::size_t count);

  // Whether the field exists. For finish(), calling has() does not count as asking for the field.
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  // Returns the value of a required field, as in need(fields.text("event", 32), "event"). Throws JsonError if the field
  // is missing.
  template <class Value>
  [[nodiscard]] Value need(std::optional<Value> value, const char* name) const {
    if (!value) refuse(name, "it is missing");
    return *std::move(value);
  }
  // Throws JsonError if the object has a field that no call has asked for.
  void finish() const;
  // Throws JsonError with the text `field "x": why`, for faults that only the caller can detect.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  const nlohmann::json* find(const char* name);
  std::vector<double> numbers_of(const char* name, const nlohmann::json& value, std::size_t count) const;

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace sotto::apps
