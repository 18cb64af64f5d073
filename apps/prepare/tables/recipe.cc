#include "apps/prepare/tables/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

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

// A table's columns may be named as others' features are, and a category may be called "other".
void make_distinct(std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::string& name : names) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '_');
    const std::string base = name;
    for (std::size_t number = 2; !seen.insert(name).second; ++number) name = fmt::format("{} ({})", base, number);
  }
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

}  // namespace sotto::apps::prepare
