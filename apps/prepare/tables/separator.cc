#include "apps/prepare/tables/separator.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/kit/files/csv_line.h"
#include "apps/kit/files/input_file.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct Candidate {
  char separator;
  std::size_t cells;
};

const char* name_of_separator(char separator) {
  switch (separator) {
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    default:
      return "pipes";
  }
}

// Outside of quotes, unless they do not match.
bool has_outside_quotes(std::string_view line, char separator) {
  const bool has_pairs = std::count(line.begin(), line.end(), '"') % 2 == 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"' && has_pairs) quoted = !quoted;
    if (c == separator && !quoted) return true;
  }
  return false;
}

std::vector<Candidate> candidates_of(std::string_view line) {
  std::vector<Candidate> candidates;
  for (const char separator : table_separators) {
    if (has_outside_quotes(line, separator)) candidates.push_back({separator, cells_of(line, separator)});
  }
  return candidates;
}

std::vector<std::string_view> words_between_blanks(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// As many words in both lines, and they look like columns: several blanks between them, or mostly numbers.
bool separated_by_blanks(std::string_view first, std::string_view second) {
  const auto names = words_between_blanks(first);
  const auto cells = words_between_blanks(second);
  if (names.size() < 2 || cells.size() != names.size() || first.find('"') != std::string_view::npos) return false;
  const auto numbers =
      std::count_if(cells.begin(), cells.end(), [](std::string_view cell) { return cell_number(cell).has_value(); });
  return trim(first).find("  ") != std::string_view::npos || trim(second).find("  ") != std::string_view::npos ||
         2 * static_cast<std::size_t>(numbers) > cells.size();
}

// A first line without any separator is one name.
char separator_of_one_name(std::string_view first, std::string_view second, const std::string& where) {
  if (const auto others = candidates_of(second); !others.empty()) {
    throw InputError(where, fmt::format("this line is one name, and {} separate the cells of the next; remove a title "
                                        "above the header, or put texts that have them into quotes",
                                        name_of_separator(others.front().separator)));
  }
  if (separated_by_blanks(first, second)) {
    throw InputError(where, "blanks separate the cells; save the table with commas, semicolons, tabs or pipes");
  }
  return table_separators.front();
}

}  // namespace

std::size_t cells_of(std::string_view line, char separator) {
  std::size_t count = 0;
  for (CsvCells cells(line, separator); !cells.done(); (void)cells.next()) ++count;
  return count;
}

std::optional<char> told_separator(std::string_view line, const std::string& where) {
  constexpr std::string_view begins = "sep=";
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  if (line.size() > 1 && line.front() == '"') line.remove_prefix(1);
  if (line.size() <= begins.size()) return std::nullopt;
  const bool is_told = std::equal(begins.begin(), begins.end(), line.begin(), [](char a, char b) {
    return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a');
  });
  if (!is_told) return std::nullopt;
  const char separator = line[begins.size()];
  // Behind it there may be separators alone, which programs add.
  const std::string_view behind = line.substr(begins.size() + 1);
  if (behind.find_first_not_of(",;\t|\" ") != std::string_view::npos) return std::nullopt;
  if (table_separators.find(separator) == std::string_view::npos) {
    throw InputError(where, "sep= names none of commas, semicolons, tabs and pipes; save the table with one of them");
  }
  return separator;
}

char separator_of(std::string_view first, std::string_view second, const std::string& where) {
  std::vector<Candidate> candidates = candidates_of(first);
  if (candidates.empty()) return separator_of_one_name(first, second, where);
  if (candidates.size() == 1) return candidates.front().separator;
  std::vector<Candidate> agreeing;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(agreeing),
               [&](const Candidate& each) { return cells_of(second, each.separator) == each.cells; });
  if (!agreeing.empty()) candidates = std::move(agreeing);
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.cells > b.cells; });
  if (candidates.size() == 1 || candidates[0].cells >= 2 * candidates[1].cells) return candidates[0].separator;
  throw InputError(
      where, fmt::format("this line has {} and {}; put names that have either into quotes, or write which of them "
                         "separates into a line before it, as sep=;",
                         name_of_separator(candidates[0].separator), name_of_separator(candidates[1].separator)));
}

}  // namespace sotto::apps::prepare
