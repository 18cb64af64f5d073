// Reads tables of a config.
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

// Reads one table of a config. Throws an InputError that starts with the value's origin if a value does not have the
// type and range of its key.
class Section {
 public:
  Section(const ConfigDocument& document, std::string table) : document_(document), table_(std::move(table)) {}

  // These functions throw std::invalid_argument if no program has the key. A text has no control characters.
  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  [[nodiscard]] std::optional<std::string> text_or_whole(const std::string& key) const;
  // Paths are absolute. The result is empty if the key is missing.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  [[nodiscard]] std::optional<bool> choice(const std::string& key) const;
  [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key, std::uint64_t least,
                                                   std::uint64_t most) const;
  // The caller must check the range of the number.
  [[nodiscard]] std::optional<double> real(const std::string& key) const;
  // The path is absolute, or empty if the key is missing.
  [[nodiscard]] std::filesystem::path path(const std::string& key) const;

  [[noreturn]] void refuse_missing(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key) const;

  [[nodiscard]] std::string where(const std::string& key) const;

 private:
  [[nodiscard]] const Setting& known(const std::string& key) const;
  [[nodiscard]] const ConfigValue* find(const std::string& key) const;

  const ConfigDocument& document_;
  std::string table_;
};

}  // namespace sotto::apps
