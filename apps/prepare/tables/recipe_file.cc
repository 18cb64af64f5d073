#include "apps/prepare/tables/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/toml_file.h"
#include "apps/kit/settings/toml_text.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::array<std::pair<std::string_view, ColumnUse>, 6> uses{{{"number", ColumnUse::number},
                                                                      {"categories", ColumnUse::categories},
                                                                      {"id", ColumnUse::id},
                                                                      {"label", ColumnUse::label},
                                                                      {"subject", ColumnUse::subject},
                                                                      {"left out", ColumnUse::left_out}}};

class RecipeTable {
 public:
  RecipeTable(const toml::table& table, const std::string& file, std::string name)
      : table_(table), file_(file), name_(std::move(name)) {}

  void allow(std::initializer_list<std::string_view> keys) const {
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& [key, value] : table_) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      throw InputError(toml_place(file_, value.source()),
                       fmt::format("'{}' is no key of {} of a recipe{}", std::string(key.str()), name_,
                                   did_you_mean(key.str(), known)));
    }
  }
  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] std::string text(std::string_view key) const {
    const auto* const value = needed(key).as_string();
    if (value == nullptr) refuse(key, "a text");
    return value->get();
  }
  [[nodiscard]] std::int64_t whole(std::string_view key) const {
    const auto* const value = needed(key).as_integer();
    if (value == nullptr || value->get() < 0) refuse(key, "a whole number");
    return value->get();
  }
  [[nodiscard]] double real(std::string_view key) const { return real_of(needed(key), key); }
  [[nodiscard]] double real_or(std::string_view key, double standard) const {
    return table_.contains(key) ? real(key) : standard;
  }
  [[nodiscard]] bool choice(std::string_view key) const {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return false;
    if (!node->is_boolean()) refuse(key, "true or false");
    return node->as_boolean()->get();
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> result;
    if (!table_.contains(key)) return result;
    for (const toml::node& element : list(key)) {
      if (!element.is_string()) refuse(key, "a list of texts");
      result.push_back(element.as_string()->get());
    }
    return result;
  }
  [[nodiscard]] std::vector<double> reals(std::string_view key) const {
    std::vector<double> result;
    const toml::array& elements = list(key);
    result.reserve(elements.size());
    for (const toml::node& element : elements) result.push_back(real_of(element, key));
    return result;
  }
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const {
    throw InputError(toml_place(file_, needed(key).source()),
                     fmt::format("{} in {} of a recipe must be {}", key, name_, expected));
  }

 private:
  [[nodiscard]] const toml::node& needed(std::string_view key) const {
    const toml::node* const node = table_.get(key);
    if (node != nullptr) return *node;
    throw InputError(toml_place(file_, table_.source()), fmt::format("{} of a recipe needs a {}", name_, key));
  }
  [[nodiscard]] const toml::array& list(std::string_view key) const {
    const toml::array* const elements = needed(key).as_array();
    if (elements == nullptr) refuse(key, "a list");
    return *elements;
  }
  [[nodiscard]] double real_of(const toml::node& node, std::string_view key) const {
    if (const auto* const value = node.as_floating_point()) return value->get();
    if (const auto* const value = node.as_integer()) return static_cast<double>(value->get());
    refuse(key, "a number, or a list of them where it is a list");
  }

  const toml::table& table_;
  const std::string& file_;
  std::string name_;
};

ColumnUse use_of(const RecipeTable& table) {
  const std::string text = table.text("use");
  for (const auto& [name, use] : uses) {
    if (name == text) return use;
  }
  table.refuse("use", "\"number\", \"categories\", \"id\", \"label\", \"subject\" or \"left out\"");
}

ColumnRecipe column_of(const RecipeTable& table) {
  ColumnRecipe column;
  column.name = table.text("name");
  column.use = use_of(table);
  switch (column.use) {
    case ColumnUse::id:
    case ColumnUse::label:
    case ColumnUse::subject:
      table.allow({"name", "use", "missing", "values"});
      break;
    case ColumnUse::left_out:
      table.allow({"name", "use", "why"});
      column.why = table.text("why");
      break;
    case ColumnUse::number:
      table.allow({"name", "use", "missing", "values", "centre", "spread", "clip", "fill", "percent", "indicator",
                   "usual_part"});
      column.centre = table.real("centre");
      column.spread = table.real("spread");
      column.clip = table.real_or("clip", 0);
      column.fill = table.real("fill");
      column.percent = table.choice("percent");
      break;
    case ColumnUse::categories:
      table.allow({"name", "use", "missing", "values", "categories", "other", "indicator", "usual_part"});
      column.categories = table.texts("categories");
      column.other = table.choice("other");
      break;
  }
  if (column.has_features()) {
    column.indicator = table.choice("indicator");
    if (table.has("usual_part")) column.usual_part = table.real("usual_part");
  }
  if (column.use != ColumnUse::left_out) column.words = {table.texts("missing"), table.texts("values")};
  return column;
}

const toml::table& table_of(const toml::node& node, const std::string& file, const char* what) {
  if (const toml::table* const table = node.as_table()) return *table;
  throw InputError(toml_place(file, node.source()), fmt::format("{} must be a table; this is no recipe", what));
}

void read_head(const RecipeTable& table, Recipe& recipe) {
  table.allow(
      {"version", "constant", "scale", "norm", "unit_norm", "decimal_comma", "missing", "values", "labels", "ids"});
  const std::int64_t version = table.whole("version");
  if (version != 1 && version != 2) table.refuse("version", "1 or 2, those that this version of sotto knows");
  recipe.form.first_version = version == 1;
  recipe.constant = table.real_or("constant", 0);
  recipe.scale = table.real("scale");
  recipe.norm = table.real("norm");
  recipe.unit = table.choice("unit_norm");
  recipe.form.decimal_comma = table.choice("decimal_comma");
  recipe.form.missing = table.texts("missing");
  recipe.form.values = table.texts("values");
  recipe.labels = table.texts("labels");
  recipe.ids = table.texts("ids");
}

constexpr std::string_view head_of_recipe =
    "# How a row of features is made from a row of a table: `sotto prepare party TABLE --recipe recipe.toml` does it\n"
    "# again. Keep this file as you keep the table, at your own company: it has means of columns and names of\n"
    "# categories.\n\n";

std::string texts_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += fmt::format("  {},\n", toml_quoted(text));
  return list.empty() ? "[]" : "[\n" + list + "]";
}

// The parser of TOML accepts only a limited number of dots in a line, so long lists take several lines.
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
    case ColumnUse::subject:
      return text + "use = \"subject\"\n";
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

Recipe parse_recipe(const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file, longest_recipe);
  RecipeTable(root, file, "the file").allow({"recipe", "column", "components"});
  const toml::node* const head = root.get("recipe");
  const toml::node* const columns = root.get("column");
  if (head == nullptr || columns == nullptr || !columns->is_array()) {
    throw InputError(file, "this is no recipe: it needs a table [recipe] and a [[column]] for each column");
  }
  Recipe recipe;
  read_head(RecipeTable(table_of(*head, file, "recipe"), file, "[recipe]"), recipe);
  recipe.columns.reserve(columns->as_array()->size());
  for (const toml::node& node : *columns->as_array()) {
    recipe.columns.push_back(column_of(RecipeTable(table_of(node, file, "column"), file, "a [[column]]")));
  }
  if (const toml::node* const node = root.get("components")) {
    const RecipeTable components(table_of(*node, file, "components"), file, "[components]");
    components.allow({"count", "mean", "loadings"});
    recipe.components = {static_cast<std::size_t>(components.whole("count")), components.reals("mean"),
                         components.reals("loadings")};
    if (recipe.components.count == 0) components.refuse("count", "1 at least");
  }
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& path) {
  return parse_recipe(read_file(path, longest_recipe), path.string());
}

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
  if (!recipe.ids.empty()) {
    text += fmt::format("ids = {}  # the columns of an id, in this order\n", texts_of(recipe.ids));
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
