// One table of a config, value by value.
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

// Reads one table of a config document: values of the type and range of their key. Otherwise throws InputError that
// starts with the value's origin and says what was expected.
class Section {
 public:
  Section(const ConfigDocument& document, std::string table) : document_(document), table_(std::move(table)) {}

  // Each of the functions below throws std::invalid_argument if no program has such a key.
  // A text without control characters.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  // A text, or the digits of a whole number.
  [[nodiscard]] std::optional<std::string> text_or_whole(const std::string& key) const;
  // The value of an option: the elements of an array, or the one value as text. The elements are numbers if the key
  // takes numbers. Paths are absolute. Empty if the key is missing.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::optional<bool> choice(const std::string& key) const;
  // A whole number from `least` to `most`.
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key, std::uint64_t least,
                                                   std::uint64_t most) const;
  // A finite number. It may be written without a point. Check it further with `refuse`.
  [[nodiscard]] std::optional<double> real(const std::string& key) const;
  // An absolute path. Empty for an empty text and for a missing key.
  [[nodiscard]] std::filesystem::path path(const std::string& key) const;

  // Throws InputError for a missing key. The error names the expected value and the ways to give it.
  [[noreturn]] void refuse_missing(const std::string& key) const;

  // Throws InputError, because the value is not one that the key takes.
  [[noreturn]] void refuse(const std::string& key) const;

  // The place of the value, for an error: "party_0.toml:7:3: steps in [run]".
  [[nodiscard]] std::string where(const std::string& key) const;

 private:
  [[nodiscard]] const Setting& known(const std::string& key) const;
  [[nodiscard]] const ConfigValue* find(const std::string& key) const;

  const ConfigDocument& document_;
  std::string table_;
};

}  // namespace sotto::apps
