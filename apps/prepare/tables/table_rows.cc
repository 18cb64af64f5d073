#include "apps/prepare/tables/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/tables/column_profile.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

bool are_nearer_as_thousands(const TextTable& table, std::size_t column, const ColumnRecipe& recipe,
                             const ColumnProfile& profile, char mark) {
  double as_read = 0;
  double as_thousands = 0;
  for (std::size_t i = 0; i < profile.numbers.size(); ++i) {
    const bool is_group = shape_of(plain_text(table.cell(profile.rows[i], column)), mark) == NumberShape::one_group;
    as_read += std::abs(profile.numbers[i] - recipe.centre);
    as_thousands += std::abs((is_group ? 1000 : 1) * profile.numbers[i] - recipe.centre);
  }
  return as_thousands < as_read;
}

struct ReadLabels {
  std::vector<std::string> texts;
  std::vector<double> numbers;
  std::optional<std::size_t> broken;
};

[[noreturn]] void refuse_missing(const TextTable& table, std::size_t row, std::size_t column, bool has_recipe) {
  const std::string& name = table.columns()[column];
  const std::string word = plain_text(table.cell(row, column));
  const std::string advice =
      word.empty() ? ""
      : has_recipe ? fmt::format(
                         "; the recipe takes {} for a missing value: leave the row out, or make a recipe of this "
                         "table",
                         word)
                   : fmt::format("; {} counts as a missing value, and --not-missing {} makes an arm of it", word,
                                 shell_quoted(fmt::format("{}={}", name, word)));
  throw InputError(table.where(row, column),
                   fmt::format("no value where a label is expected (column '{}'){}", name, advice));
}

ReadLabels read_texts(const TextTable& table, std::size_t column, const CellForm& form, bool has_recipe) {
  ReadLabels read;
  read.texts.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    TableCell cell;
    cell.text = table.cell(r, column);
    if (is_missing(cell, form)) refuse_missing(table, r, column, has_recipe);
    read.texts.push_back(category_of(cell, form));
    if (!form.first_version && is_code(plain_text(cell.text))) continue;
    const auto number = number_in(cell, form);
    if (!number) continue;
    read.numbers.push_back(*number);
    if (!read.broken && *number != std::floor(*number)) read.broken = r;
  }
  return read;
}

ArmLabels as_they_are(const std::vector<double>& numbers) {
  ArmLabels labels;
  labels.arms.reserve(numbers.size());
  for (const double number : numbers) labels.arms.push_back(static_cast<std::uint32_t>(number));
  labels.count = 1 + *std::max_element(labels.arms.begin(), labels.arms.end());
  return labels;
}

bool have_no_gap(const std::vector<double>& numbers) {
  const std::set<double> distinct(numbers.begin(), numbers.end());
  return *distinct.begin() == 0 && *distinct.rbegin() + 1 == static_cast<double>(distinct.size());
}

std::vector<std::string> texts_in_order(const ReadLabels& read, bool whole) {
  std::vector<std::string> texts;
  if (whole) {
    for (const double number : std::set<double>(read.numbers.begin(), read.numbers.end())) {
      texts.push_back(fmt::format("{}", number == 0 ? 0.0 : number));
    }
    return texts;
  }
  const std::set<std::string> distinct(read.texts.begin(), read.texts.end());
  return {distinct.begin(), distinct.end()};
}

ArmLabels numbered(const TextTable& table, std::size_t column, const ReadLabels& read, std::vector<std::string> texts) {
  ArmLabels labels;
  labels.count = texts.size();
  labels.arms.reserve(read.texts.size());
  for (std::size_t r = 0; r < read.texts.size(); ++r) {
    const auto found = std::find(texts.begin(), texts.end(), read.texts[r]);
    if (found == texts.end()) {
      throw InputError(table.where(r, column), "a label that the recipe does not know; make a recipe of this table");
    }
    labels.arms.push_back(static_cast<std::uint32_t>(found - texts.begin()));
  }
  labels.texts = std::move(texts);
  return labels;
}

}  // namespace

TableRows::TableRows(const TextTable& table, const Recipe& recipe) : table_(table) {
  const std::size_t none = table.columns().size();
  std::vector<bool> named(none, false);
  columns_.reserve(recipe.columns.size());
  for (const ColumnRecipe& column : recipe.columns) {
    const auto found = table.find_column(column.name);
    if (!found && column.has_features()) {
      throw InputError(
          table.where_names(),
          fmt::format("there is no column '{}', which the recipe needs{}; is it a recipe of another table?",
                      column.name, did_you_mean(column.name, table.columns())));
    }
    columns_.push_back(found.value_or(none));
    if (found) named[*found] = true;
  }
  for (std::size_t c = 0; c < none; ++c) {
    if (!named[c]) others_.push_back(table.columns()[c]);
  }
}

void TableRows::read(std::size_t r, std::span<TableCell> cells) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    cells[c] = TableCell();
    if (columns_[c] < table_.columns().size()) cells[c].text = table_.cell(r, columns_[c]);
  }
}

void TableRows::refuse(std::size_t r, const CellError& error) const {
  throw InputError(table_.where(r, columns_[error.column()]), error.what());
}

void check_thousands(const TextTable& table, const Recipe& recipe) {
  for (const ColumnRecipe& column : recipe.columns) {
    const auto found = table.find_column(column.name);
    if (!found || column.use != ColumnUse::number || column.percent) continue;
    const CellForm form = recipe.form_of(column);
    const char mark = form.decimal_comma ? ',' : '.';
    const ColumnProfile profile = profile_column(table, *found, form, false);
    if (!profile.may_be_thousands() || !are_nearer_as_thousands(table, *found, column, profile, mark)) continue;
    throw InputError(table.where(profile.first_one_group, *found),
                     fmt::format("column '{0}': this number has a {1} and three digits behind it, and the recipe's "
                                 "table had larger ones. If the {1} separates thousands, save the table without it; if "
                                 "it is a decimal mark, write a fourth digit",
                                 column.name, form.decimal_comma ? "comma" : "point"));
  }
}

std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes) {
  const TableRows rows(table, maker.recipe());
  const std::size_t width = maker.width();
  std::vector<double> values(table.rows() * width);
  for_each_row(table, rows, maker.recipe().columns.size(), [&](std::size_t r, std::span<const TableCell> cells) {
    maker.make(cells, std::span(values).subspan(r * width, width), notes);
  });
  return values;
}

ArmLabels read_labels(const TextTable& table, std::size_t column, const CellForm& form,
                      const std::optional<std::vector<std::string>>& known) {
  const ReadLabels read = read_texts(table, column, form, known.has_value());
  if (known && !known->empty()) return numbered(table, column, read, *known);
  const bool all_numbers = read.numbers.size() == read.texts.size();
  if (all_numbers && read.broken) {
    throw InputError(table.where(*read.broken, column), "the label is not a whole number, and no text either");
  }
  if (all_numbers) {
    const auto [least, most] = std::minmax_element(read.numbers.begin(), read.numbers.end());
    const bool are_arms = *least >= 0 && *most < static_cast<double>(max_arms);
    if (are_arms && (known || have_no_gap(read.numbers))) return as_they_are(read.numbers);
  }
  if (known)
    throw InputError(table.where(0, column), "the recipe has labels that are arms from 0, and this table others");
  std::vector<std::string> texts = texts_in_order(read, all_numbers);
  if (texts.size() > max_arms) {
    throw InputError(table.where(0, column),
                     fmt::format("{} are in column '{}', and {} arms are the most",
                                 counted(texts.size(), "different label"), table.columns()[column], max_arms));
  }
  ArmLabels labels = numbered(table, column, read, std::move(texts));
  if (all_numbers) {
    labels.warning = fmt::format(
        "column '{}': its labels are no numbers from 0 without gaps, and became the arms 0 to {} by "
        "size",
        table.columns()[column], labels.count - 1);
  }
  return labels;
}

}  // namespace sotto::apps::prepare
