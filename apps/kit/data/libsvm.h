// Multi-label data in libsvm's format, read row by row.
//
// The format: one line a row, cells separated by blanks:
//   1       labels, whole numbers from 0, separated by commas; missing where the line starts with a blank
//   2 ...   index:value, indices ascending; features that are not named are 0
// Indices count from 1. A first line of three whole numbers (rows, features, labels: the header of the extreme
// classification repository) is checked against what follows, and with it indices count from
// 0. # begins a comment; lines of blanks alone are skipped where they are at the end of the file.
//
// Errors are InputError and name file:line:column, where the column is the number of the cell (from 1; the labels' cell
// is the first one even where it is missing). They never show what is in a cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "sotto/apps/kit/data/multi_label.h"
#include "sotto/apps/kit/files/text_lines.h"

namespace sotto::apps {

class LibsvmReader : public MultiLabelReader {
 public:
  explicit LibsvmReader(const std::filesystem::path& path);

  [[nodiscard]] bool next(MultiLabelRow& row) override;

 private:
  struct Header {
    std::uint64_t rows = 0, features = 0, labels = 0;
  };

  [[nodiscard]] bool next_text(std::string_view& text);
  void read_header();
  void parse(std::string_view text, MultiLabelRow& row);
  void parse_labels(std::string_view cell, MultiLabelRow& row);
  void parse_feature(std::string_view cell, std::size_t number, MultiLabelRow& row);

  TextLines lines_;
  std::optional<Header> header_;
  bool pending_ = false;  // the first line is a row that was read to look for a header
  std::uint64_t rows_ = 0;
};

}  // namespace sotto::apps
