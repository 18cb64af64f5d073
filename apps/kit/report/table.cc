#include "apps/kit/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "apps/kit/files/json.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/markup.h"

namespace sotto::apps {
namespace {

constexpr const char* nothing = "-";

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

void trim_end(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 999.5) return human_count(value);
  // Rounding may carry into the next power of ten.
  const int power = static_cast<int>(std::floor(std::log10(size * (1 + 0.5e-3))));
  return fmt::format("{:.{}f}", value, std::clamp(2 - power, 0, 9));
}

std::string Cell::shown() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* yes = std::get_if<bool>(&value_)) return *yes ? "yes" : "no";
  if (const auto* number = std::get_if<double>(&value_)) {
    return std::isfinite(*number) ? three_digits(*number) : nothing;
  }
  if (const auto* count = std::get_if<std::uint64_t>(&value_)) {
    return human_count(static_cast<double>(*count));
  }
  return nothing;
}

nlohmann::ordered_json Cell::json() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* yes = std::get_if<bool>(&value_)) return *yes;
  if (const auto* number = std::get_if<double>(&value_); number && std::isfinite(*number)) {
    return *number;
  }
  if (const auto* count = std::get_if<std::uint64_t>(&value_)) return *count;
  return nullptr;
}

FigureTable::FigureTable(std::string key, std::string title, std::string_view columns)
    : key_(std::move(key)), title_(std::move(title)) {
  while (!columns.empty()) {
    const std::string_view column = columns.substr(0, columns.find("; "));
    columns.remove_prefix(std::min(columns.size(), column.size() + 2));
    const std::size_t colon = column.find(": ");
    const std::string_view head = colon == std::string_view::npos ? column : column.substr(colon + 2);
    columns_.push_back({std::string(column.substr(0, colon)), std::string(head)});
  }
}

void FigureTable::add(std::vector<Cell> row) {
  if (row.size() != columns_.size()) {
    throw std::invalid_argument(fmt::format("a row of {} cells in a table of {} columns", row.size(), columns_.size()));
  }
  rows_.push_back(std::move(row));
}

bool FigureTable::left(std::size_t column) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const std::vector<Cell>& row) { return row[column].is_text(); });
}

std::string FigureTable::to_text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].head.size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].shown().size());
  }
  std::string text = title_ + "\n";
  const auto add_line = [&](const auto& cell_of) {
    std::string line = " ";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      line += left(c) ? fmt::format(" {:<{}} ", cell_of(c), widths[c]) : fmt::format(" {:>{}} ", cell_of(c), widths[c]);
    }
    trim_end(line);
    text += line + "\n";
  };
  add_line([&](std::size_t c) { return columns_[c].head; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c].shown(); });
  for (const std::string& sentence : notes_) text += "  " + sentence + "\n";
  return text;
}

std::string FigureTable::to_markdown() const {
  std::string heads = "|";
  std::string rule = "|";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    heads += " " + markdown_cell(columns_[c].head) + " |";
    rule += left(c) ? "---|" : "--:|";
  }
  std::string text = fmt::format("## {}\n\n{}\n{}\n", title_, heads, rule);
  for (const auto& row : rows_) {
    text += "|";
    for (const Cell& cell : row) text += " " + markdown_cell(cell.shown()) + " |";
    text += "\n";
  }
  for (const std::string& sentence : notes_) text += "\n" + sentence + "\n";
  return text;
}

std::string FigureTable::to_html() const {
  const auto cells = [&](const char* tag, const auto& text_of) {
    std::string row;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      row += element(tag, left(c) ? "" : "number", escape_html(text_of(c)));
    }
    return element("tr", "", row);
  };
  std::string body;
  for (const auto& row : rows_) body += cells("td", [&](std::size_t c) { return row[c].shown(); });
  const std::string head = cells("th", [&](std::size_t c) { return columns_[c].head; });
  std::string out =
      element("div", "scroll", element("table", "", element("thead", "", head) + element("tbody", "", body)));
  for (const std::string& sentence : notes_) out += element("p", "note", escape_html(sentence));
  return out;
}

nlohmann::ordered_json FigureTable::to_json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c) object[columns_[c].key] = row[c].json();
    json.push_back(std::move(object));
  }
  return json;
}

}  // namespace sotto::apps
