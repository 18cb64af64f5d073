#include "bench/lab/data/multi_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view take_cell(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view cell = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(cell.size());
  return cell;
}

bool is_all_blank(std::string_view text) { return text.find_first_not_of(blanks) == std::string_view::npos; }

}  // namespace

std::unique_ptr<MultiLabelReader> open_multi_label(const std::filesystem::path& path, const LabelColumns& labels) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".arff") return std::make_unique<ArffReader>(path, labels);
  return std::make_unique<LibsvmReader>(path);
}

MultiLabelReader::MultiLabelReader(const std::filesystem::path& path, std::string kind)
    : lines_(path, std::move(kind), longest_text_line, most_text_bytes) {}

LibsvmReader::LibsvmReader(const std::filesystem::path& path)
    : MultiLabelReader(path, "a multi-label file in libsvm's format") {
  read_header();
}

bool LibsvmReader::next_text(std::string_view& text) {
  bool blank_before = false;
  std::string blank_place;
  while (pending_ || lines_.next()) {
    pending_ = false;
    const bool commented = lines_.text().find('#') != std::string_view::npos;
    text = lines_.text().substr(0, lines_.text().find('#'));
    if (is_all_blank(text)) {
      if (!commented && !blank_before) {
        blank_before = true;
        blank_place = lines_.place();
      }
      continue;
    }
    if (blank_before) {
      throw InputError(blank_place, "the line is blank; a row needs labels or features");
    }
    return true;
  }
  return false;
}

void LibsvmReader::read_header() {
  std::string_view text;
  if (!next_text(text)) {
    throw InputError(lines_.file(), "there is no row; a line \"labels index:value ...\" is needed");
  }
  pending_ = true;
  Header header;
  std::string_view rest = text;
  for (std::uint64_t* const number : {&header.rows, &header.features, &header.labels}) {
    const auto given = number_of<std::uint64_t>(take_cell(rest));
    if (!given) return;
    *number = *given;
  }
  if (!is_all_blank(rest)) return;
  if (header.features > most_features || header.labels > most_labels) {
    throw InputError(lines_.place(),
                     fmt::format("the header promises more than {} features or {} labels", most_features, most_labels));
  }
  header_ = header;
  pending_ = false;
}

bool LibsvmReader::next(MultiLabelRow& row) {
  std::string_view text;
  if (!next_text(text)) {
    if (header_ && rows_ != header_->rows) {
      throw InputError(lines_.file(),
                       fmt::format("the header promises {}, there are {}", counted(header_->rows, "row"), rows_));
    }
    return false;
  }
  parse(text, row);
  ++rows_;
  return true;
}

void LibsvmReader::parse(std::string_view text, MultiLabelRow& row) {
  row.labels.clear();
  row.features.clear();
  const bool starts_blank = blanks.find(text.front()) != std::string_view::npos;
  std::string_view rest = text;
  if (!starts_blank) {
    const std::string_view first = take_cell(rest);
    // If a row has no labels and its leading blank was removed, the row starts with a feature.
    if (first.find(':') == std::string_view::npos) {
      parse_labels(first, row);
    } else {
      rest = text;
    }
  }
  for (std::size_t number = 2; !is_all_blank(rest); ++number) {
    parse_feature(take_cell(rest), number, row);
  }
}

void LibsvmReader::parse_labels(std::string_view cell, MultiLabelRow& row) {
  const std::uint64_t limit = header_ ? header_->labels : most_labels;
  for (bool more = true; more;) {
    const std::size_t comma = cell.find(',');
    const auto label = number_of<std::uint64_t>(cell.substr(0, comma));
    if (!label) throw InputError(lines_.place(1), "not a label: whole numbers separated by commas are needed");
    if (*label >= limit) throw InputError(lines_.place(1), fmt::format("a label is not below {}", limit));
    row.labels.push_back(static_cast<std::uint32_t>(*label));
    more = comma != std::string_view::npos;
    if (more) cell.remove_prefix(comma + 1);
  }
  std::sort(row.labels.begin(), row.labels.end());
  if (std::adjacent_find(row.labels.begin(), row.labels.end()) != row.labels.end()) {
    throw InputError(lines_.place(1), "a label is there twice");
  }
}

void LibsvmReader::parse_feature(std::string_view cell, std::size_t number, MultiLabelRow& row) {
  const std::size_t colon = cell.find(':');
  const auto index = number_of<std::uint64_t>(cell.substr(0, colon));
  if (colon == std::string_view::npos || !index) {
    throw InputError(lines_.place(number), "not a feature: index:value is needed");
  }
  const auto value = cell_number(cell.substr(colon + 1));
  if (!value) {
    throw InputError(lines_.place(number),
                     fmt::format("the value is not a finite number of at most {:g} in size", largest_cell));
  }
  if (!header_ && *index == 0) {
    throw InputError(lines_.place(number),
                     "indices count from 1; from 0 only below a header line \"rows features labels\"");
  }
  const std::uint64_t from_zero = header_ ? *index : *index - 1;
  const std::uint64_t limit = header_ ? header_->features : most_features;
  if (from_zero >= limit) {
    throw InputError(lines_.place(number), fmt::format("the index is beyond the {} features that there can be", limit));
  }
  if (!row.features.empty() && from_zero <= row.features.back().first) {
    throw InputError(lines_.place(number), "indices must ascend, each once");
  }
  row.features.emplace_back(static_cast<std::uint32_t>(from_zero), *value);
}

}  // namespace sotto::apps::lab
