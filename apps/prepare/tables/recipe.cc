#include "apps/prepare/tables/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

void add_names_of(const ColumnRecipe& column, std::vector<std::string>& names) {
  if (column.use == ColumnUse::number) names.push_back(column.name);
  if (column.use == ColumnUse::categories) {
    for (const std::string& category : column.categories) names.push_back(fmt::format("{}={}", column.name, category));
    if (column.other) names.push_back(column.name + "=other");
  }
  if (column.has_features() && column.indicator) names.push_back(column.name + " missing");
}

// Names may be equal because a column's name may equal the name of another column's feature, and because a category may
// be called "other".
void make_distinct(std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::string& name : names) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '_');
    const std::string base = name;
    for (std::size_t number = 2; !seen.insert(name).second; ++number) name = fmt::format("{} ({})", base, number);
  }
}

using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void refuse_near_column(std::string_view word, const Words& columns, const char* flag) {
  const std::size_t end = word.find('=');
  if (end == std::string_view::npos) return;
  const std::string column = plain_text(word.substr(0, end));
  const std::string near = did_you_mean(column, columns);
  if (!near.empty()) throw InputError(flag, fmt::format("there is no column '{}'{}", column, near));
}

void add_words(const char* flag, const Words& asked, const Words& columns, Words& of_all,
               std::map<std::string, ColumnWords>& of_columns, Words ColumnWords::*list) {
  for (const std::string& each : asked) {
    bool names_column = false;
    for (std::size_t at = each.find('='); at != std::string::npos && !names_column; at = each.find('=', at + 1)) {
      const std::string column = plain_text(std::string_view(each).substr(0, at));
      if (!has(columns, column)) continue;
      (of_columns[column].*list).push_back(plain_text(std::string_view(each).substr(at + 1)));
      names_column = true;
    }
    if (names_column) continue;
    refuse_near_column(each, columns, flag);
    of_all.push_back(plain_text(each));
  }
}

void require_apart(const Words& missing, const Words& values) {
  if (std::any_of(values.begin(), values.end(), [&](const std::string& word) { return has(missing, word); })) {
    throw InputError("--not-missing", "the same word has --missing; leave one of them out");
  }
}

Words joined(const Words& words, const Words& others, const Words& more) {
  Words result;
  std::copy_if(words.begin(), words.end(), std::back_inserter(result),
               [&](const std::string& word) { return !has(others, word); });
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

}  // namespace

std::size_t ColumnRecipe::features() const {
  const std::size_t further = indicator ? 1 : 0;
  if (use == ColumnUse::number) return 1 + further;
  if (use == ColumnUse::categories) return categories.size() + (other ? 1 : 0) + further;
  return 0;
}

std::size_t Recipe::features() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const ColumnRecipe& column) { return sum + column.features(); });
}

std::vector<std::string> Recipe::names() const {
  std::vector<std::string> names;
  names.reserve(width());
  for (std::size_t i = 0; i < components.count; ++i) names.push_back(fmt::format("pc_{}", i));
  if (components.count == 0) {
    for (const ColumnRecipe& column : columns) add_names_of(column, names);
  }
  if (constant > 0) names.emplace_back("constant");
  make_distinct(names);
  return names;
}

std::size_t Recipe::column_of(ColumnUse use) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const ColumnRecipe& column) { return column.use == use; });
  return static_cast<std::size_t>(found - columns.begin());
}

TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns) {
  TableWords words{asked, {}};
  words.form.missing.clear();
  words.form.values.clear();
  add_words("--missing", asked.missing, columns, words.form.missing, words.columns, &ColumnWords::missing);
  add_words("--not-missing", asked.values, columns, words.form.values, words.columns, &ColumnWords::values);
  require_apart(words.form.missing, words.form.values);
  for (const auto& [name, column] : words.columns) require_apart(column.missing, column.values);
  return words;
}

CellForm form_of_column(const CellForm& table, const ColumnWords& column) {
  CellForm form = table;
  form.missing = joined(table.missing, column.values, column.missing);
  form.values = joined(table.values, column.missing, column.values);
  return form;
}

CellForm form_of_column(const TableWords& words, const std::string& column) {
  const auto found = words.columns.find(column);
  return found == words.columns.end() ? words.form : form_of_column(words.form, found->second);
}

}  // namespace sotto::apps::prepare
