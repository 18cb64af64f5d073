// Writes structs as JSON and reads them again. A struct lists its fields once:
//
//   struct RoleCost {
//     std::string role;
//     std::optional<std::uint64_t> bytes_sent;
//     static void describe(auto& self, auto&& field) {
//       field("role", self.role);
//       field.unless_empty("bytes_sent", self.bytes_sent);
//     }
//   };
//
// With field(key, member), the field is always present, and a missing value is null. With field.unless_empty(key,
// member), the field is absent if the optional or the list is empty. With field.derived(key, value), the field is
// written and not read. Members may be numbers, texts, enums with names_of() (found by argument-dependent lookup),
// described structs, and optionals, pairs and vectors of all these.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

template <class T>
concept Described = requires(T& value, int& field) {
  T::describe(value, field);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class Json = nlohmann::ordered_json, class T>
[[nodiscard]] Json json_of(const T& value);

template <class Json>
class FieldWriter {
 public:
  explicit FieldWriter(Json& object) : object_(object) {}

  template <class T>
  void operator()(const std::string& key, const T& value) const {
    object_[key] = json_of<Json>(value);
  }
  template <class T>
  void unless_empty(const std::string& key, const T& value) const {
    if constexpr (is_optional<T>) {
      if (value) (*this)(key, *value);
    } else {
      if (!value.empty()) (*this)(key, value);
    }
  }
  template <class T>
  void derived(const std::string& key, const T& value) const {
    (*this)(key, value);
  }

 private:
  Json& object_;
};

template <class Json, class T>
Json json_of(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? json_of<Json>(*value) : Json(nullptr);
  } else if constexpr (Described<T>) {
    Json object = Json::object();
    T::describe(value, FieldWriter<Json>(object));
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& [known, name] : names_of(T{})) {
      if (known == value) return name;
    }
    return nullptr;
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(json_of<Json>(item));
    return list;
  } else {
    return value;
  }
}

class NotAsDescribed : public std::runtime_error {
  using runtime_error::runtime_error;
};

template <class T>
void read_field(const nlohmann::json& json, const std::string& field, T& value);

class FieldReader {
 public:
  FieldReader(const nlohmann::json& object, std::string path) : object_(object), path_(std::move(path)) {}

  template <class T>
  void operator()(const char* key, T& value) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw NotAsDescribed(path_ + key + " is missing");
    read_field(*found, path_ + key, value);
  }
  template <class T>
  void unless_empty(const char* key, T& value) const {
    const auto found = object_.find(key);
    value = T{};
    if (found != object_.end()) read_field(*found, path_ + key, value);
  }
  template <class T>
  void derived(const char*, const T&) const {}

 private:
  const nlohmann::json& object_;
  std::string path_;
};

template <class T>
void read_field(const nlohmann::json& json, const std::string& field, T& value) {
  const auto require = [&](bool is_so, const char* what) {
    if (!is_so) throw NotAsDescribed(field + " is " + what);
  };
  if constexpr (is_optional<T>) {
    value.reset();
    if (!json.is_null()) read_field(json, field, value.emplace());
  } else if constexpr (Described<T>) {
    require(json.is_object(), "no object");
    T::describe(value, FieldReader(json, field + "."));
  } else if constexpr (is_vector<T>) {
    require(json.is_array(), "no list");
    value.clear();
    for (const nlohmann::json& item : json) read_field(item, field, value.emplace_back());
  } else if constexpr (is_pair<T>) {
    require(json.is_array() && json.size() == 2, "no pair");
    read_field(json[0], field, value.first);
    read_field(json[1], field, value.second);
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& [known, name] : names_of(T{})) {
      if (json == name) return void(value = known);
    }
    require(false, "none of its names");
  } else if constexpr (std::same_as<T, bool>) {
    require(json.is_boolean(), "neither true nor false");
    value = json.get<bool>();
  } else if constexpr (std::unsigned_integral<T>) {
    require(json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<T>::max(),
            "no whole number of its range");
    value = json.get<T>();
  } else if constexpr (std::signed_integral<T>) {
    const bool fits = json.is_number_unsigned()
                          ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                          : json.is_number_integer() && json.get<std::int64_t>() >= std::numeric_limits<T>::min();
    require(fits, "no whole number of its range");
    value = json.get<T>();
  } else if constexpr (std::floating_point<T>) {
    require(json.is_number(), "no number");
    value = json.get<T>();
  } else {
    require(json.is_string(), "no text");
    value = json.get<std::string>();
  }
}

// Throws NotAsDescribed if the JSON differs from the description.
template <class T>
void read_described(const nlohmann::json& json, T& value) {
  if (!json.is_object()) throw NotAsDescribed("it is no object");
  T::describe(value, FieldReader(json, ""));
}

// The file is renamed into place when it is complete. Throws ResourceError if the file cannot be written.
template <class T>
void write_described(const std::filesystem::path& path, const T& value) {
  write_file(path, json_text(json_of<nlohmann::json>(value)) + "\n");
}

// Throws an InputError that names the file and the field if the file does not have the fields of T.
template <class T>
[[nodiscard]] T read_described_file(const std::filesystem::path& path, std::string_view what,
                                    std::size_t most_bytes = longest_report) {
  try {
    T value;
    read_described(read_json(path, what, most_bytes), value);
    return value;
  } catch (const NotAsDescribed& error) {
    throw InputError(path.string(), fmt::format("is not {}: {}", what, error.what()));
  }
}

}  // namespace sotto::apps
