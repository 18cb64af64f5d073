#include <fmt/format.h>

#include <span>
#include <string_view>

#include "apps/kit/settings/toml_text.h"
#include "apps/prepare/tables/recipe_file.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::string_view head_of_recipe =
    "# How a row of features is made from a row of a table: `sotto prepare party TABLE --recipe recipe.toml` does it\n"
    "# again. Keep this file as you keep the table, at your own company: it has means of columns and names of\n"
    "# categories.\n\n";

std::string texts_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += fmt::format("  {},\n", toml_quoted(text));
  return list.empty() ? "[]" : "[\n" + list + "]";
}

// A parser takes so many dots in a line and no more.
std::string numbers_of(std::span<const double> numbers) {
  constexpr std::size_t a_line = 6;
  std::string list = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    list += (i % a_line == 0 ? "\n  " : " ") + toml_real(numbers[i]) + ",";
  }
  return list + "\n]";
}

std::string column_text(const ColumnRecipe& column) {
  std::string text = fmt::format("\n[[column]]\nname = {}\n", toml_quoted(column.name));
  if (column.use == ColumnUse::left_out) {
    return text + fmt::format("use = \"left out\"\nwhy = {}\n", toml_quoted(column.why));
  }
  if (!column.words.missing.empty()) text += fmt::format("missing = {}\n", texts_of(column.words.missing));
  if (!column.words.values.empty()) text += fmt::format("values = {}\n", texts_of(column.words.values));
  switch (column.use) {
    case ColumnUse::id:
      return text + "use = \"id\"\n";
    case ColumnUse::label:
      return text + "use = \"label\"\n";
    case ColumnUse::left_out:
      break;
    case ColumnUse::number:
      text +=
          fmt::format("use = \"number\"  # (value - centre) / spread, from -clip to clip\ncentre = {}\nspread = {}\n",
                      toml_real(column.centre), toml_real(column.spread));
      if (column.clip > 0) text += fmt::format("clip = {}\n", toml_real(column.clip));
      text += fmt::format("fill = {}  # stands for a missing value\n", toml_real(column.fill));
      if (column.percent) text += "percent = true\n";
      break;
    case ColumnUse::categories:
      text +=
          fmt::format("use = \"categories\"\ncategories = {}\nother = {}\n", texts_of(column.categories), column.other);
      break;
  }
  if (column.usual_part) {
    text += fmt::format("usual_part = {}  # of the values, clipped or of no category when this recipe was made\n",
                        toml_real(*column.usual_part));
  }
  return text + fmt::format("indicator = {}  # a further feature, 1 where the value is missing\n", column.indicator);
}

}  // namespace

std::string recipe_text(const Recipe& recipe) {
  std::string text(head_of_recipe);
  text += fmt::format(
      "[recipe]\nversion = {}\nscale = {}  # each feature times this\nnorm = {}  # longer rows are shortened to it\n",
      recipe.form.first_version ? 1 : 2, toml_real(recipe.scale), toml_real(recipe.norm));
  if (recipe.constant > 0) {
    text += fmt::format("constant = {}  # a further feature, before the scale\n", toml_real(recipe.constant));
  }
  text += fmt::format("unit_norm = {}  # all rows are brought to that norm\n", recipe.unit);
  text += fmt::format("decimal_comma = {}\nmissing = {}  # further words for a missing value\n",
                      recipe.form.decimal_comma, texts_of(recipe.form.missing));
  if (!recipe.form.values.empty()) {
    text += fmt::format("values = {}  # words that are none for a missing value\n", texts_of(recipe.form.values));
  }
  if (!recipe.labels.empty()) {
    text += fmt::format("labels = {}  # the first is arm 0\n", texts_of(recipe.labels));
  }
  for (const ColumnRecipe& column : recipe.columns) text += column_text(column);
  if (recipe.components.count > 0) {
    text += fmt::format("\n[components]\ncount = {}\nmean = {}\nloadings = {}\n", recipe.components.count,
                        numbers_of(recipe.components.mean), numbers_of(recipe.components.loadings));
  }
  if (text.size() > longest_recipe) {
    throw InputError(
        fmt::format("the recipe takes {} bytes, and {} is the most; leave columns out with --drop, or take fewer "
                    "categories or components",
                    text.size(), longest_recipe));
  }
  return text;
}

}  // namespace sotto::apps::prepare
