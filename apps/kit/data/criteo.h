// The Criteo display advertising log (Criteo AI Labs 2014, the data of the Kaggle challenge), read row by row: a file
// of 11 GB needs no more memory than one of 11 KB.
//
// The format: no header; one line a shown advertisement, 40 columns separated by tabs:
//   1        label: 1 the user clicked, 0 not
//   2 - 14   13 integers (mostly counts; may be negative)
//   15 - 40  26 categories, each a hash of up to 8 hexadecimal digits
// An empty column is a missing value; a line ends with LF or CRLF. There is no cell that could hold a tab.
//
// Errors are InputError and name file:line (file:line:column for a cell, columns from 1); they never show what is in a
// cell. A gzipped file and the challenge's file without labels (39 columns) are told as what they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/apps/kit/files/text_lines.h"

namespace sotto::apps {

inline constexpr std::size_t criteo_integers = 13;
inline constexpr std::size_t criteo_categories = 26;

struct CriteoRow {
  bool clicked = false;
  std::array<std::optional<std::int64_t>, criteo_integers> integers{};
  std::array<std::optional<std::uint32_t>, criteo_categories> categories{};
};

// One line without its line end. `file` and `line` are for messages.
[[nodiscard]] CriteoRow parse_criteo_row(std::string_view text, const std::string& file, std::uint64_t line);

class CriteoReader {
 public:
  explicit CriteoReader(const std::filesystem::path& path);

  // The next row; nothing at the end of the file. A file without rows is InputError.
  [[nodiscard]] std::optional<CriteoRow> next();
  // Of the row that next() gave last, from 1.
  [[nodiscard]] std::uint64_t line() const { return lines_.number(); }

 private:
  TextLines lines_;
};

}  // namespace sotto::apps
