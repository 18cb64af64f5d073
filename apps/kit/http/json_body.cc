#include "apps/kit/http/json_body.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

using nlohmann::json;

constexpr int number_out_of_range = 406;  // error id of nlohmann's library
constexpr std::size_t shown_key = 64;

std::string key_text(std::string_view key) { return fmt::format("\"{}\"", printable(key, shown_key)); }

class BoundedBuilder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  BoundedBuilder(json& root, const JsonLimits& limits) : root_(root), limits_(limits) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(number_integer_t value) { return put(value); }
  bool number_unsigned(number_unsigned_t value) { return put(value); }
  bool number_float(number_float_t value, const string_t&) {
    return std::isfinite(value) ? put(value) : refuse("a number is no finite double");
  }
  bool string(string_t& value) {
    if (value.size() > limits_.longest_text) {
      return refuse(fmt::format("a text is longer than {}", counted(limits_.longest_text, "byte")));
    }
    return put(std::move(value));
  }
  bool binary(binary_t&) { return refuse("this is no JSON"); }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    if (name.size() > limits_.longest_key) {
      return refuse(fmt::format("the name of a field is longer than {}", counted(limits_.longest_key, "byte")));
    }
    if (levels_.back()->contains(name)) return refuse(fmt::format("field {}: it comes twice", key_text(name)));
    key_ = std::move(name);
    return true;
  }
  // The parser's message quotes the body, which may be private, so the message is not used.
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) {
    if (!fault.empty()) return false;
    return refuse(error.id == number_out_of_range ? "a number is no finite double"
                                                  : fmt::format("this is no JSON, from byte {} on", byte));
  }

  std::string fault;

 private:
  bool refuse(std::string why) {
    fault = std::move(why);
    return false;
  }
  bool put(json&& value) { return place(std::move(value)) != nullptr; }
  bool open(json&& empty) {
    if (levels_.size() == limits_.most_levels) {
      return refuse(fmt::format("it has more than {}", counted(limits_.most_levels, "level")));
    }
    json* const placed = place(std::move(empty));
    if (placed == nullptr) return false;
    levels_.push_back(placed);
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  json* place(json&& value) {
    if (++values_ > limits_.most_values) {
      refuse(fmt::format("it has more than {}", counted(limits_.most_values, "value")));
      return nullptr;
    }
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *levels_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  json& root_;
  const JsonLimits& limits_;
  std::vector<json*> levels_;
  std::string key_;
  std::size_t values_ = 0;
};

std::string kind_of(const json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a text";
  return value.is_array() ? "an array" : "an object";
}

}  // namespace

json read_json_body(std::string_view text, const JsonLimits& limits) {
  // The parser would take a NUL byte for the end of the text.
  if (text.find('\0') != std::string_view::npos) throw JsonError("this is no JSON: there is a NUL byte");
  json root;
  BoundedBuilder builder(root, limits);
  const bool whole = json::sax_parse(text.begin(), text.end(), &builder);
  if (!whole) throw JsonError(builder.fault.empty() ? "this is no JSON" : builder.fault);
  return root;
}

JsonFields::JsonFields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) throw JsonError(fmt::format("{}expected an object, got {}", where_, kind_of(object_)));
}

void JsonFields::refuse(std::string_view name, const std::string& why) const {
  throw JsonError(fmt::format("{}field {}: {}", where_, key_text(name), why));
}

const json* JsonFields::find(const char* name) {
  asked_.emplace(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::optional<std::string> JsonFields::text(const char* name, std::size_t longest) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(name, "expected a text, got " + kind_of(*value));
  const auto& text = value->get_ref<const std::string&>();
  if (text.empty() || text.size() > longest) {
    refuse(name, fmt::format("expected a text of 1 to {}, got {}", counted(longest, "byte"), text.size()));
  }
  return text;
}

std::optional<bool> JsonFields::flag(const char* name) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(name, "expected true or false, got " + kind_of(*value));
  return value->get<bool>();
}

std::optional<double> JsonFields::number(const char* name, double low, double high) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) refuse(name, "expected a number, got " + kind_of(*value));
  const auto number = value->get<double>();
  if (!(number >= low && number <= high)) refuse(name, fmt::format("expected a number from {} to {}", low, high));
  return number;
}

std::optional<std::uint64_t> JsonFields::whole(const char* name, std::uint64_t low, std::uint64_t high) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  std::optional<std::uint64_t> number;
  if (value->is_number_unsigned()) number = value->get<std::uint64_t>();
  // From 2^53 on, a double no longer identifies one whole number.
  if (value->is_number_float()) {
    const auto real = value->get<double>();
    if (real >= 0 && real < 0x1p53 && real == std::floor(real)) number = static_cast<std::uint64_t>(real);
  }
  if (!number || *number < low || *number > high) {
    refuse(name, fmt::format("expected a whole number from {} to {}", low, high));
  }
  return number;
}

std::vector<double> JsonFields::numbers_of(const char* name, const json& value, std::size_t count) const {
  const std::string expected = counted(count, "number");
  if (!value.is_array()) refuse(name, fmt::format("expected {}, got {}", expected, kind_of(value)));
  if (value.size() != count) refuse(name, fmt::format("expected {}, got {}", expected, value.size()));
  std::vector<double> numbers;
  numbers.reserve(count);
  for (const json& each : value) {
    if (!each.is_number()) refuse(name, fmt::format("expected {}, got {} among them", expected, kind_of(each)));
    numbers.push_back(each.get<double>());
  }
  return numbers;
}

std::optional<std::vector<double>> JsonFields::numbers(const char* name, std::size_t count) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  return numbers_of(name, *value, count);
}

std::optional<std::vector<std::string>> JsonFields::texts(const char* name, std::size_t most, std::size_t longest) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array() || value->size() > most) {
    refuse(name, fmt::format("expected an array of at most {}", counted(most, "text")));
  }
  std::vector<std::string> texts;
  texts.reserve(value->size());
  for (const json& each : *value) {
    if (!each.is_string()) refuse(name, "expected texts, got " + kind_of(each) + " among them");
    texts.push_back(each.get<std::string>());
    if (texts.back().empty() || texts.back().size() > longest) {
      refuse(name, fmt::format("expected texts of 1 to {}", counted(longest, "byte")));
    }
  }
  return texts;
}

std::optional<std::map<std::string, double>> JsonFields::named_numbers(const char* name, std::size_t most) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object() || value->size() > most) {
    refuse(name, fmt::format("expected an object of at most {}", counted(most, "number")));
  }
  std::map<std::string, double> numbers;
  for (const auto& [key, each] : value->items()) {
    if (!each.is_number()) refuse(name, fmt::format("expected a number of {}, got {}", key_text(key), kind_of(each)));
    numbers.emplace(key, each.get<double>());
  }
  return numbers;
}

const json* JsonFields::object(const char* name) {
  const json* const value = find(name);
  if (value != nullptr && !value->is_object()) refuse(name, "expected an object");
  return value;
}

std::optional<std::vector<std::optional<std::vector<double>>>> JsonFields::rows(const char* name, std::size_t rows,
                                                                                std::size_t count) {
  const json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array() || value->size() != rows) {
    refuse(name, fmt::format("expected an array of {}", counted(rows, "row")));
  }
  std::vector<std::optional<std::vector<double>>> taken;
  taken.reserve(rows);
  for (const json& row : *value) {
    taken.push_back(row.is_null() ? std::nullopt : std::optional(numbers_of(name, row, count)));
  }
  return taken;
}

void JsonFields::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (!asked_.contains(key)) refuse(key, "it is not known here");
  }
}

}  // namespace sotto::apps
