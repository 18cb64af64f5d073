#include "apps/prepare/tables/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/kit/files/input_file.h"
#include "apps/prepare/data/reduction.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/table_rows.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr double scaled_part = 0.95;

void check_names(const TextTable& table, const FitOptions& options) {
  std::vector<std::string> seen;
  const auto check = [&](const std::string& name, const char* flag) {
    (void)table.column(name, flag);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw InputError(flag, fmt::format("the column '{}' has another flag already", name));
    }
    seen.push_back(name);
  };
  for (const std::string& name : options.id) check(name, "--id");
  if (options.label) check(*options.label, "--label");
  if (options.subject) check(*options.subject, "--subject");
  for (const std::string& name : options.drop) check(name, "--drop");
  for (const std::string& name : options.one_hot) check(name, "--one-hot");
  for (const std::string& name : options.numbers) check(name, "--number");
  for (const std::string& name : options.percent) check(name, "--percent");
}

FitOptions with_plain_names(FitOptions options) {
  for (std::optional<std::string>* const name : {&options.subject, &options.label}) {
    if (*name) *name = plain_text(**name);
  }
  for (std::vector<std::string>* const names :
       {&options.id, &options.drop, &options.one_hot, &options.numbers, &options.percent}) {
    for (std::string& name : *names) name = plain_text(name);
  }
  return options;
}

bool is_number_name(const std::string& name) { return cell_number(name).has_value(); }

void fit_columns(const TextTable& table, const FitOptions& options, const std::vector<std::uint32_t>& labels,
                 FittedRecipe& fitted) {
  const TableWords words = table_words(options.form, table.columns());
  fitted.recipe.form = words.form;
  if (options.id.size() > 1) fitted.recipe.ids = options.id;
  if (table.has_header() && std::all_of(table.columns().begin(), table.columns().end(), is_number_name)) {
    fitted.warnings.emplace_back(
        "all names of columns are numbers: is the header line missing? `sotto prepare party --no-header` takes the "
        "first line as a row");
  }
  fitted.recipe.columns.reserve(table.columns().size());
  fitted.columns.reserve(table.columns().size());
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    FittedColumn column = fit_column(table, c, options, words, labels);
    fitted.columns.push_back({column.recipe.name, std::move(column.done)});
    fitted.recipe.columns.push_back(std::move(column.recipe));
    fitted.warnings.insert(fitted.warnings.end(), column.warnings.begin(), column.warnings.end());
  }
}

void require_features(const TextTable& table, const Recipe& recipe) {
  const std::size_t features = recipe.features();
  if (features == 0) {
    throw InputError(table.file(),
                     table.rows() == 1
                         ? "one row has nothing to compare, so no column makes a feature; give more rows, "
                           "or the recipe of an earlier table by `sotto prepare party --recipe`"
                         : "no column makes a feature: all are constant, empty or left out");
  }
  if (features > most_row_features) {
    throw InputError(table.file(),
                     fmt::format("{}, and {} is the most; leave columns out with --drop, or take fewer --categories",
                                 counted(features, "feature"), most_row_features));
  }
}

void fit_components(const TextTable& table, std::size_t count, FittedRecipe& fitted) {
  const std::size_t features = fitted.recipe.features();
  if (count > features) {
    throw InputError("--components", fmt::format("{} asked for, the table makes {}", counted(count, "component"),
                                                 counted(features, "feature")));
  }
  if (features > most_features_of_components) {
    throw InputError("--components", fmt::format("of at most {} features, and the table makes {}; leave columns out "
                                                 "with --drop",
                                                 most_features_of_components, features));
  }
  const RowMaker maker(fitted.recipe);
  const TableRows rows(table, maker.recipe());
  std::vector<TableCell> cells(maker.recipe().columns.size());
  RowNotes ignored;
  const RowSource source{table.rows(), features, [&](std::size_t r, std::span<double> out) {
                           rows.read(r, cells);
                           maker.make_features(cells, out, ignored);
                         }};
  const Pca pca = fit_pca(source, count);
  fitted.recipe.components = {count, pca.mean, pca.loadings};
  const double kept = std::accumulate(pca.variances.begin(), pca.variances.end(), 0.0);
  if (pca.total_variance > 0) fitted.kept_variance = std::min(1.0, kept / pca.total_variance);
}

std::vector<double> lengths_of(const TextTable& table, const Recipe& recipe) {
  const RowMaker maker(recipe);
  const TableRows rows(table, recipe);
  std::vector<double> row(maker.width());
  std::vector<double> lengths;
  lengths.reserve(table.rows());
  RowNotes ignored;
  for_each_row(table, rows, recipe.columns.size(), [&](std::size_t, std::span<const TableCell> cells) {
    maker.make(cells, row, ignored);
    lengths.push_back(std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0)));
  });
  return lengths;
}

double usual_length(const std::vector<double>& lengths) {
  double squares = 0;
  for (const double length : lengths) squares += length * length / static_cast<double>(lengths.size());
  return std::sqrt(squares);
}

double common_length(std::vector<double> lengths) {
  std::sort(lengths.begin(), lengths.end());
  const auto place = static_cast<std::size_t>(scaled_part * static_cast<double>(lengths.size() - 1));
  return lengths[place] > 0 ? lengths[place] : lengths.back();
}

}  // namespace

FittedRecipe fit_recipe(const TextTable& table, const FitOptions& asked, const std::vector<std::uint32_t>& labels) {
  const FitOptions options = with_plain_names(asked);
  check_names(table, options);
  FittedRecipe fitted;
  fitted.recipe.norm = std::numeric_limits<double>::infinity();
  fit_columns(table, options, labels, fitted);
  require_features(table, fitted.recipe);
  if (options.components > 0) fit_components(table, options.components, fitted);
  if (options.constant > 0) {
    fitted.recipe.constant = options.constant * usual_length(lengths_of(table, fitted.recipe));
  }
  if (options.unit) {
    fitted.recipe.unit = true;
  } else if (std::isfinite(options.norm)) {
    const double common = common_length(lengths_of(table, fitted.recipe));
    if (common > 0) fitted.recipe.scale = options.norm / common;
  }
  fitted.recipe.norm = options.norm;
  return fitted;
}

}  // namespace sotto::apps::prepare
