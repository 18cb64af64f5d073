#include "sotto/apps/kit/data/criteo.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::size_t columns = 1 + criteo_integers + criteo_categories;
// A day of the largest published log takes 50 GB; rows are handed out one by one.
constexpr std::uint64_t most_log_bytes = std::uint64_t{1} << 38;
constexpr std::size_t max_line = 4096;  // 40 cells of 8 digits are 400 bytes

std::string place_of(const std::string& file, std::uint64_t line) { return fmt::format("{}:{}", file, line); }

std::string place_of(const std::string& file, std::uint64_t line, std::size_t column) {
  return fmt::format("{}:{}:{}", file, line, column + 1);
}

// Splits into exactly `columns` cells.
std::array<std::string_view, columns> split(std::string_view text, const std::string& file, std::uint64_t line) {
  const auto found = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t')) + 1;
  if (found == columns - 1) {
    throw InputError(place_of(file, line),
                     "39 columns, 40 are needed; this looks like the file without labels, use the one for training");
  }
  if (found != columns) {
    throw InputError(place_of(file, line),
                     fmt::format("{} separated by tabs, 40 are needed: label, 13 integers, 26 categories",
                                 counted(found, "column")));
  }
  std::array<std::string_view, columns> cells;
  for (std::string_view& cell : cells) {
    const std::size_t end = text.find('\t');
    cell = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return cells;
}

template <class Number>
bool parse_whole(std::string_view cell, Number& value, int base) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value, base);
  return error == std::errc() && end == cell.data() + cell.size();
}

}  // namespace

CriteoRow parse_criteo_row(std::string_view text, const std::string& file, std::uint64_t line) {
  const auto cells = split(text, file, line);
  CriteoRow row;
  if (cells[0] != "0" && cells[0] != "1") {
    throw InputError(place_of(file, line, 0), "the label is neither 0 nor 1");
  }
  row.clicked = cells[0] == "1";
  for (std::size_t i = 0; i < criteo_integers; ++i) {
    const std::string_view cell = cells[1 + i];
    if (cell.empty()) continue;
    if (!parse_whole(cell, row.integers[i].emplace(), 10)) {
      throw InputError(place_of(file, line, 1 + i), "not an integer");
    }
  }
  for (std::size_t i = 0; i < criteo_categories; ++i) {
    const std::size_t column = 1 + criteo_integers + i;
    const std::string_view cell = cells[column];
    if (cell.empty()) continue;
    if (cell.size() > 8 || !parse_whole(cell, row.categories[i].emplace(), 16)) {
      throw InputError(place_of(file, line, column), "not a category: up to 8 hexadecimal digits are needed");
    }
  }
  return row;
}

CriteoReader::CriteoReader(const std::filesystem::path& path)
    : lines_(path, "a Criteo log", max_line, most_log_bytes) {}

std::optional<CriteoRow> CriteoReader::next() {
  if (!lines_.next()) return std::nullopt;
  return parse_criteo_row(lines_.text(), lines_.file(), lines_.number());
}

}  // namespace sotto::apps
