#include "apps/prepare/tables/row_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/say.h"

namespace sotto::apps::prepare {
namespace {

double feature_of(const ColumnRecipe& column, double value, ColumnNotes& notes) {
  const double spreads = (value - column.centre) / column.spread;
  if (column.clip == 0 || std::abs(spreads) <= column.clip) return spreads;
  ++notes.clipped;
  return std::copysign(column.clip, spreads);
}

std::string remedy_beside_recipe(CellKind kind, const CellForm& form) {
  switch (kind) {
    case CellKind::percentage:
      return "the recipe reads this column without %: give the number alone";
    case CellKind::decimal_comma:
      return fmt::format("the recipe's table had decimal {}",
                         form.decimal_comma ? "commas: write 1,5" : "points: write 1.5") +
             ", and 1234 without a mark between thousands";
    case CellKind::grouped:
      return "write it without such marks";
    case CellKind::not_finite:
      return "mend it, or leave the value empty where it is not known";
    case CellKind::date:
      return "make a number of it, as the recipe's table had one here";
    default:
      return "the recipe's table had numbers here: give one, or leave the value empty where it is not known";
  }
}

double* add_number(const ColumnRecipe& column, const CellForm& form, std::size_t c, const TableCell& cell, double* out,
                   ColumnNotes& notes) {
  const bool missing = is_missing(cell, form);
  double value = column.fill;
  if (missing) {
    ++notes.missing;
  } else if (const auto number = number_in(cell, form, column.percent)) {
    value = *number;
  } else {
    const CellKind kind = kind_of(cell, form);
    throw CellError(c, fmt::format("column '{}': {} where a number is expected; {}", column.name, described(kind),
                                   remedy_beside_recipe(kind, form)));
  }
  *out++ = feature_of(column, value, notes);
  if (column.indicator) *out++ = missing ? 1 : 0;
  return out;
}

double* add_categories(const ColumnRecipe& column, const CellForm& form, const TableCell& cell, double* out,
                       ColumnNotes& notes) {
  const std::size_t count = column.features();
  std::fill(out, out + count, 0.0);
  const std::size_t categories = column.categories.size();
  if (is_missing(cell, form)) {
    ++notes.missing;
    if (column.indicator) out[count - 1] = 1;
    return out + count;
  }
  const auto found = std::find(column.categories.begin(), column.categories.end(), category_of(cell, form));
  if (found != column.categories.end()) {
    out[found - column.categories.begin()] = 1;
  } else {
    ++notes.unknown;
    if (column.other) out[categories] = 1;
  }
  return out + count;
}

double norm_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// A row with a smaller norm is not scaled to the recipe's norm, because the squares of its features are too imprecise.
constexpr double no_direction = 1e-100;
constexpr double least_norm = 1e-30;

// The order of additions is fixed, so that equal rows give equal features, bit for bit.
void project_row(const ComponentsRecipe& components, std::span<const double> features, std::span<double> out) {
  for (std::size_t i = 0; i < components.count; ++i) {
    const double* const loading = components.loadings.data() + i * features.size();
    double sum = 0;
    for (std::size_t f = 0; f < features.size(); ++f) sum += loading[f] * (features[f] - components.mean[f]);
    out[i] = sum;
  }
}

TableCell cell_of(const nlohmann::json& value, std::size_t column, const std::string& name) {
  TableCell cell;
  if (value.is_null()) {
    cell.is_null = true;
  } else if (value.is_number()) {
    cell.number = value.get<double>();
  } else if (value.is_boolean()) {
    cell.text = value.get<bool>() ? "true" : "false";
  } else if (value.is_string()) {
    cell.text = trim(value.get_ref<const std::string&>());
  } else {
    throw CellError(column, fmt::format("column '{}': {} where a number or a text is expected", name,
                                        value.is_array() ? "an array" : "an object"));
  }
  return cell;
}

std::vector<std::string> compared_names(const Recipe& recipe) {
  std::vector<std::string> names;
  names.reserve(recipe.columns.size());
  for (const ColumnRecipe& column : recipe.columns) names.push_back(plain_text(column.name));
  return names;
}

std::vector<CellForm> forms_of_columns(const Recipe& recipe) {
  std::vector<CellForm> forms;
  forms.reserve(recipe.columns.size());
  for (const ColumnRecipe& column : recipe.columns) forms.push_back(recipe.form_of(column));
  return forms;
}

// The allowed excess of an entry of the loadings above 1. Loadings are vectors of length 1, but a file contains rounded
// numbers.
constexpr double rounding_room = 1e-6;

void require_that(bool holds, const std::string& what) {
  if (!holds) throw InputError("the recipe: " + what);
}

bool within(double value, double least, double most) { return value >= least && value <= most; }

void check_column(const ColumnRecipe& column) {
  require_that(within(std::abs(column.centre), 0, largest_cell) && within(std::abs(column.fill), 0, largest_cell) &&
                   within(column.spread, least_spread, largest_recipe_number) &&
                   within(column.clip, 0, largest_recipe_number),
               fmt::format("the numbers of column '{}' are out of their bounds", column.name));
  require_that(within(column.usual_part.value_or(0), 0, 1),
               fmt::format("usual_part of column '{}' must be from 0 to 1", column.name));
  std::set<std::string> distinct(column.categories.begin(), column.categories.end());
  require_that(distinct.size() == column.categories.size(),
               fmt::format("two categories of column '{}' are the same", column.name));
}

void check_components(const ComponentsRecipe& components, std::size_t features) {
  require_that(components.count <= features, "more components than features");
  require_that(components.mean.size() == features && components.loadings.size() == components.count * features,
               "the components are not those of its columns");
  const auto at_most = [](const std::vector<double>& values, double most) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return within(std::abs(value), 0, most); });
  };
  require_that(at_most(components.mean, 2 * largest_recipe_number) && at_most(components.loadings, 1 + rounding_room),
               "the numbers of its components are out of their bounds");
}

void check_recipe(const Recipe& recipe) {
  std::set<std::string> names;
  std::set<std::string> ids;
  std::size_t labels = 0;
  for (const ColumnRecipe& column : recipe.columns) {
    require_that(names.insert(column.name).second, fmt::format("two columns are named '{}'", column.name));
    if (column.use == ColumnUse::id) ids.insert(column.name);
    labels += column.use == ColumnUse::label ? 1 : 0;
    check_column(column);
  }
  require_that(labels <= 1, "one column at most is the label");
  require_that(recipe.ids.empty() ? ids.size() <= 1
                                  : std::set<std::string>(recipe.ids.begin(), recipe.ids.end()) == ids &&
                                        recipe.ids.size() == ids.size(),
               "where several columns are the id, ids names them in order");
  const std::size_t features = recipe.features();
  require_that(features >= 1, "no column makes a feature");
  require_that(features <= most_row_features,
               fmt::format("{} features, and {} is the most", features, most_row_features));
  if (recipe.components.count > 0) check_components(recipe.components, features);
  require_that(within(recipe.constant, 0, largest_cell), "its constant is out of bounds");
  require_that(within(recipe.scale, 1 / largest_recipe_number, largest_recipe_number), "its scale is out of bounds");
  require_that(recipe.norm >= least_norm && (recipe.norm <= largest_cell || (!recipe.unit && std::isinf(recipe.norm))),
               "its norm is out of bounds");
}

}  // namespace

RowNotes& RowNotes::operator+=(const RowNotes& other) {
  rows += other.rows;
  missing += other.missing;
  unknown += other.unknown;
  clipped += other.clipped;
  shortened += other.shortened;
  columns.resize(std::max(columns.size(), other.columns.size()));
  for (std::size_t c = 0; c < other.columns.size(); ++c) {
    columns[c].missing += other.columns[c].missing;
    columns[c].unknown += other.columns[c].unknown;
    columns[c].clipped += other.columns[c].clipped;
  }
  return *this;
}

RowMaker::RowMaker(Recipe recipe)
    : recipe_(std::move(recipe)),
      width_(recipe_.width()),
      forms_(forms_of_columns(recipe_)),
      names_(compared_names(recipe_)) {
  check_recipe(recipe_);
}

void RowMaker::make_features(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const {
  double* place = out.data();
  notes.columns.resize(recipe_.columns.size());
  ++notes.rows;
  for (std::size_t c = 0; c < recipe_.columns.size(); ++c) {
    const ColumnRecipe& column = recipe_.columns[c];
    if (!column.has_features()) continue;
    ColumnNotes met;
    place = column.use == ColumnUse::number ? add_number(column, forms_[c], c, cells[c], place, met)
                                            : add_categories(column, forms_[c], cells[c], place, met);
    notes.missing += met.missing;
    notes.unknown += met.unknown;
    notes.clipped += met.clipped;
    notes.columns[c].missing += met.missing;
    notes.columns[c].unknown += met.unknown;
    notes.columns[c].clipped += met.clipped;
  }
}

void RowMaker::finish(std::span<const double> features, std::span<double> out, RowNotes& notes) const {
  if (recipe_.components.count > 0) {
    project_row(recipe_.components, features, out);
  } else {
    std::copy(features.begin(), features.end(), out.begin());
  }
  if (recipe_.constant > 0) out.back() = recipe_.constant;
  if (!recipe_.unit) {
    for (double& value : out) value *= recipe_.scale;
  }
  const double norm = norm_of(out);
  if (norm < no_direction || (!recipe_.unit && norm <= recipe_.norm)) return;
  if (!recipe_.unit) ++notes.shortened;
  for (double& value : out) value = value / norm * recipe_.norm;
}

void RowMaker::make(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const {
  if (cells.size() != recipe_.columns.size() || out.size() != width_) {
    throw std::invalid_argument("RowMaker::make: the cells or the features are not as many as the recipe's");
  }
  std::vector<double> features(recipe_.features());
  make_features(cells, features, notes);
  finish(features, out, notes);
}

std::vector<const nlohmann::json*> RowMaker::values_of(const nlohmann::json& row) const {
  std::map<std::string, const nlohmann::json*> written_otherwise;
  for (const auto& [name, value] : row.items()) {
    if (std::string plain = plain_text(name); plain != name) written_otherwise.try_emplace(std::move(plain), &value);
  }
  std::vector<const nlohmann::json*> values(names_.size(), nullptr);
  std::set<const nlohmann::json*> taken;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    if (const auto exact = row.find(recipe_.columns[c].name); exact != row.end()) {
      values[c] = &*exact;
    } else if (const auto plain = row.find(names_[c]); plain != row.end()) {
      values[c] = &*plain;
    } else if (const auto other = written_otherwise.find(names_[c]); other != written_otherwise.end()) {
      values[c] = other->second;
    }
    if (values[c] != nullptr) taken.insert(values[c]);
  }
  for (const auto& [name, value] : row.items()) {
    if (taken.size() == row.size()) break;
    if (taken.contains(&value)) continue;
    throw InputError(fmt::format("column '{}' is not in the recipe{}", name, did_you_mean(name, names_)));
  }
  return values;
}

std::vector<double> RowMaker::make(const nlohmann::json& row) const {
  RowNotes ignored;
  return make(row, ignored);
}

std::vector<double> RowMaker::make(const nlohmann::json& row, RowNotes& notes) const {
  if (!row.is_object()) throw InputError("a row is an object of the recipe's columns");
  const std::vector<const nlohmann::json*> values = values_of(row);
  std::vector<TableCell> cells(values.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const ColumnRecipe& column = recipe_.columns[c];
    if (!column.has_features()) continue;
    if (values[c] == nullptr) throw CellError(c, fmt::format("column '{}' is not in the row", column.name));
    cells[c] = cell_of(*values[c], c, column.name);
  }
  std::vector<double> out(width_);
  make(cells, out, notes);
  return out;
}

}  // namespace sotto::apps::prepare
