// Reads one table of a config, value by value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/settings/document.h"

namespace sotto::apps {

struct Setting;

// Reads one table of a config document. If a value does not have the type and range of its key, throws an InputError
// that starts with the value's origin and says what was expected.
class Section {
 public:
  Section(const ConfigDocument& document, std::string table) : document_(document), table_(std::move(table)) {}

  // Each of the functions below throws std::invalid_argument if no program has the key. The function text() returns a
  // text without control characters.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  // Returns a text, or the digits of a whole number.
  [[nodiscard]] std::optional<std::string> text_or_whole(const std::string& key) const;
  // Returns the value of an option: the elements of an array, or a single value as one text. If the key takes numbers,
  // each element must be a number. Paths are absolute. The result is empty if the key is missing.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::optional<bool> choice(const std::string& key) const;
  // Returns a whole number from `least` to `most`.
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key, std::uint64_t least,
                                                   std::uint64_t most) const;
  // Returns a finite number, which the config may give without a decimal point. The caller checks the range and calls
  // refuse() for a wrong number.
  [[nodiscard]] std::optional<double> real(const std::string& key) const;
  // Returns an absolute path. The path is empty for an empty text and for a missing key.
  [[nodiscard]] std::filesystem::path path(const std::string& key) const;

  // Throws the InputError for a missing key. The error says which value is expected and how the user can give the
  // value.
  [[noreturn]] void refuse_missing(const std::string& key) const;

  // Throws the InputError for a value that the key does not accept.
  [[noreturn]] void refuse(const std::string& key) const;

  // The place of the value, for an error message: "party_0.toml:7:3: steps in [run]".
  [[nodiscard]] std::string where(const std::string& key) const;

 private:
  [[nodiscard]] const Setting& known(const std::string& key) const;
  [[nodiscard]] const ConfigValue* find(const std::string& key) const;

  const ConfigDocument& document_;
  std::string table_;
};

}  // namespace sotto::apps
