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

// Reads one table of a config document: values of the type and range that their key wants, or an InputError that starts
// with the value's origin and says what was expected.
class Section {
 public:
  Section(const ConfigDocument& document, std::string table) : document_(document), table_(std::move(table)) {}

  // Each throws std::invalid_argument if no program has such a key.
  // Without control characters.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  // A text, or the digits of a whole number.
  [[nodiscard]] std::optional<std::string> text_or_whole(const std::string& key) const;
  // Of an option: the elements of an array, or the one value as text. Numbers where the key wants them; paths are
  // absolute. Empty if the key is not there.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::optional<bool> choice(const std::string& key) const;
  // From `least` to `most`.
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key, std::uint64_t least,
                                                   std::uint64_t most) const;
  // A finite number, also when it is written without a point. Check further with `refuse`.
  [[nodiscard]] std::optional<double> real(const std::string& key) const;
  // Absolute, and empty for an empty text as for one that is not there.
  [[nodiscard]] std::filesystem::path path(const std::string& key) const;

  // InputError if the key is not there: what it must be and the ways to give it.
  [[noreturn]] void refuse_missing(const std::string& key) const;

  // InputError: the value is not what the key wants.
  [[noreturn]] void refuse(const std::string& key) const;

  // Where the value stands, for an error: "party_0.toml:7:3: steps in [run]".
  [[nodiscard]] std::string where(const std::string& key) const;

 private:
  [[nodiscard]] const Setting& known(const std::string& key) const;
  [[nodiscard]] const ConfigValue* find(const std::string& key) const;

  const ConfigDocument& document_;
  std::string table_;
};

}  // namespace sotto::apps
