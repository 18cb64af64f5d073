// JSON from clients: read within bounds, and taken apart with one clear error for each fault. No error holds a value of
// the body; the names of fields are shown printable and cut.
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

// What is wrong with a body: `field "x": expected 10 numbers, got 9`. A handler that lets it pass answers 400.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JsonLimits {
  std::size_t most_levels = 4;      // of arrays and objects within each other
  std::size_t most_values = 8192;   // all together, arrays and objects too
  std::size_t longest_key = 64;     // bytes
  std::size_t longest_text = 1024;  // bytes
};

// One value of JSON (RFC 8259) in UTF-8, and nothing but blanks around it. Throws JsonError if it is none, or beyond
// the limits; if an object has a key twice; if a number is no finite double. Memory: about 100 bytes a value.
[[nodiscard]] nlohmann::json read_json_body(std::string_view text, const JsonLimits& limits = {});

// The fields of one object, each asked for once by its type; a field that nobody asked for is a fault (finish()). A
// field that is missing is nothing, one of another type or range a JsonError; null is no value of any type.
class JsonFields {
 public:
  // Of `object`, which must outlive this. JsonError if it is no object. `where` goes before errors: "line 3: ".
  explicit JsonFields(const nlohmann::json& object, std::string where = "");

  [[nodiscard]] std::optional<std::string> text(const char* name, std::size_t longest);  // at least 1 byte
  [[nodiscard]] std::optional<bool> flag(const char* name);
  [[nodiscard]] std::optional<double> number(const char* name, double low, double high);
  // 1 and 1.0 are whole, as JSON knows no other numbers.
  [[nodiscard]] std::optional<std::uint64_t> whole(const char* name, std::uint64_t low, std::uint64_t high);
  [[nodiscard]] std::optional<std::vector<double>> numbers(const char* name, std::size_t count);
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const char* name, std::size_t most, std::size_t longest);
  // {"age": 0.4}: at most `most`.
  [[nodiscard]] std::optional<std::map<std::string, double>> named_numbers(const char* name, std::size_t most);
  // An object whatever it holds; null where the field is missing. It lives as long as the object that it is of.
  [[nodiscard]] const nlohmann::json* object(const char* name);
  // [[0.1, 0.2], null]: `rows` rows, each of `count` numbers or null.
  [[nodiscard]] std::optional<std::vector<std::optional<std::vector<double>>>> rows(const char* name, std::size_t rows,
                                                                                    std::size_t count);

  // Whether the field is there; asks for nothing.
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  // The value of a field that must be there, as in need(fields.text("event", 32), "event").
  template <class Value>
  [[nodiscard]] Value need(std::optional<Value> value, const char* name) const {
    if (!value) refuse(name, "it is missing");
    return *std::move(value);
  }
  // JsonError for a field that none of these calls has asked for.
  void finish() const;
  // `field "x": why`, for what only the caller can judge.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  const nlohmann::json* find(const char* name);
  std::vector<double> numbers_of(const char* name, const nlohmann::json& value, std::size_t count) const;

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace sotto::apps
