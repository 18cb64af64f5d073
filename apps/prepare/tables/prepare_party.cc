#include "apps/prepare/tables/prepare_party.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/table_rows.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct Prepared {
  TextTable table;
  Recipe recipe;
  std::optional<ArmLabels> labels;
};

Prepared prepared_of(TextTable table, const PreparePartyOptions& options, PreparePartyResult& result) {
  PartyRecipe made = options.recipe ? use_recipe(table, read_recipe(*options.recipe)) : fit_party(table, options);
  result.columns = std::move(made.columns);
  result.warnings = std::move(made.warnings);
  result.kept_variance = made.kept_variance;
  return {std::move(table), std::move(made.recipe), std::move(made.labels)};
}

std::vector<std::size_t> row_order_of(const Prepared& prepared, const PreparePartyOptions& options) {
  const std::size_t column = prepared.recipe.column_of(ColumnUse::id);
  if (const auto id = column_of_use(prepared.table, prepared.recipe, ColumnUse::id)) {
    return order_of_rows(prepared.table, *id, prepared.recipe.form_of(prepared.recipe.columns[column]), options.sort);
  }
  if (column < prepared.recipe.columns.size()) {
    throw InputError(
        prepared.table.where_names(),
        fmt::format("there is no column '{}', which the recipe has the ids in", prepared.recipe.columns[column].name));
  }
  if (options.sort) {
    throw InputError("--sort", options.recipe ? "the recipe has no column of ids; make one that has by `sotto prepare "
                                                "party TABLE --id COLUMN`"
                                              : "name the column of the ids with --id");
  }
  std::vector<std::size_t> order(prepared.table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<double> in_order(const std::vector<double>& values, std::size_t width,
                             const std::vector<std::size_t>& order) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::size_t r : order) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(r * width);
    result.insert(result.end(), row, row + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

std::string environment_text(const ArmLabels& labels, const std::vector<std::size_t>& order) {
  std::vector<double> values;
  values.reserve(order.size());
  for (const std::size_t r : order) values.push_back(labels.arms[r]);
  return csv_text(std::vector<std::string>{"label"}, values);
}

void warn_of_damaged_ids(const Prepared& prepared, PreparePartyResult& result) {
  const auto id = column_of_use(prepared.table, prepared.recipe, ColumnUse::id);
  if (!id) return;
  const std::vector<std::string> damage = damaged_ids(prepared.table, *id);
  result.warnings.insert(result.warnings.end(), damage.begin(), damage.end());
}

std::vector<std::string_view> cells_in_order(const Prepared& prepared, std::size_t column,
                                             const std::vector<std::size_t>& order) {
  std::vector<std::string_view> cells;
  cells.reserve(order.size());
  for (const std::size_t r : order) cells.push_back(prepared.table.cell(r, column));
  return cells;
}

std::optional<std::string> digest_of(const Prepared& prepared, const std::vector<std::size_t>& order) {
  const auto column = column_of_use(prepared.table, prepared.recipe, ColumnUse::id);
  return column ? std::optional(order_digest(cells_in_order(prepared, *column, order))) : std::nullopt;
}

// The ids in an aligned table are pseudonyms, which are new in each alignment. So the company's own ids come from the
// file of subjects.
std::vector<std::string> own_ids(const PreparePartyOptions& options, const Prepared& prepared,
                                 const std::vector<std::size_t>& order) {
  const std::vector<std::string> ids =
      read_subjects(subjects_file_of(options.table), options.table, prepared.table.rows());
  std::vector<std::string> in_order;
  in_order.reserve(order.size());
  for (const std::size_t r : order) in_order.push_back(ids[r]);
  return in_order;
}

void add_subjects(const Prepared& prepared, const PreparePartyOptions& options, const std::vector<std::size_t>& order,
                  PreparePartyResult& result, std::vector<NewFile>& files) {
  const NewFile& rows = files.front();
  const std::filesystem::path path = subjects_file_of(rows.path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  const std::size_t named = prepared.recipe.column_of(ColumnUse::subject);
  const auto subject = column_of_use(prepared.table, prepared.recipe, ColumnUse::subject);
  if (named < prepared.recipe.columns.size() && !subject) {
    throw InputError(prepared.table.where_names(), fmt::format("there is no column '{}', in which the recipe has whom "
                                                               "rows are about",
                                                               prepared.recipe.columns[named].name));
  }
  if (!subject && file_exists(subjects_file_of(options.table))) {
    const std::vector<std::string> ids = own_ids(options, prepared, order);
    std::string text = subjects_text(std::vector<std::string_view>(ids.begin(), ids.end()), rows.contents);
    files.push_back({path, std::move(text)});
    return;
  }
  const auto column = subject ? subject : column_of_use(prepared.table, prepared.recipe, ColumnUse::id);
  if (!column) return;
  const std::vector<std::string_view> ids = cells_in_order(prepared, *column, order);
  const auto wrong = std::find_if_not(ids.begin(), ids.end(), is_subject);
  if (wrong == ids.end()) {
    std::string text = subjects_text(ids, rows.contents);
    files.push_back({path, std::move(text)});
    return;
  }
  const std::string place = prepared.table.where(order[static_cast<std::size_t>(wrong - ids.begin())], *column);
  if (subject) {
    throw InputError(place, fmt::format("expected whom the row is about: 1 to {} bytes in one line", longest_subject));
  }
  result.warnings.push_back(
      fmt::format("{}: this id is empty, too long or of several lines, so no file says whom rows are about", place));
}

// If the table has no ids, removes the order files of an earlier table.
void add_orders(const std::optional<std::string>& digest, std::vector<NewFile>& files) {
  const std::size_t count = files.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path path = order_file_of(files[i].path);
    if (digest) {
      std::string text = order_text(*digest, files[i].contents);
      files.push_back({path, std::move(text)});
    } else {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
}

// The recipe is read back from the text of its file, so that a single row that comes later goes through exactly this
// recipe.
RowMaker maker_of(const Recipe& recipe, const std::string& text) {
  return RowMaker(text.empty() ? recipe : parse_recipe(text, "recipe.toml"));
}

constexpr std::size_t widest_name = 24;

}  // namespace

PreparePartyResult prepare_party(const PreparePartyOptions& options) {
  PreparePartyResult result;
  const Prepared prepared = prepared_of(TextTable::read(options.table, options.has_header), options, result);
  const std::string recipe = options.recipe ? std::string() : recipe_text(prepared.recipe);
  const RowMaker maker = maker_of(prepared.recipe, recipe);
  const std::vector<std::size_t> order = row_order_of(prepared, options);
  warn_of_damaged_ids(prepared, result);
  result.features = maker.recipe().names();
  result.rows = prepared.table.rows();
  result.norm = maker.recipe().norm;
  const std::vector<double> values = make_rows(prepared.table, maker, result.notes);
  for (std::string& warning : warnings_of_rows(prepared.recipe, result.notes, options.recipe.has_value())) {
    result.warnings.push_back(std::move(warning));
  }

  std::vector<NewFile> files;
  result.rows_file = options.output / "rows.csv";
  files.push_back({result.rows_file, csv_text(result.features, in_order(values, maker.width(), order))});
  if (prepared.labels) {
    result.arms = prepared.labels->count;
    result.labels = prepared.labels->texts;
    result.environment_file = options.output / "environment.csv";
    files.push_back({*result.environment_file, environment_text(*prepared.labels, order)});
  }
  add_orders(digest_of(prepared, order), files);
  add_subjects(prepared, options, order, result, files);
  if (!recipe.empty()) {
    result.recipe_file = options.output / "recipe.toml";
    files.push_back({*result.recipe_file, recipe});
  }
  make_run_directory(options.output);
  write_files(files);
  return result;
}

void add_fit_options(Command& command, FitOptions& options) {
  const auto column_list = [&](const char* flag, std::vector<std::string>& names, const char* help) {
    command.add_option(flag, names, help)->each_time()->type_name("COLUMN")->group("Columns");
  };
  column_list("--drop", options.drop, "leave a column out");
  column_list("--one-hot", options.one_hot, "make categories of a column, also of numbers");
  column_list("--number", options.numbers,
              "keep a column of numbers that looks like an id or codes, or may have marks of thousands");
  column_list("--percent", options.percent, "numbers that may end with %");
  command
      .add_option("--missing", options.form.missing,
                  "a further word for a missing value, as -1 or unknown, or COLUMN=WORD")
      ->each_time()
      ->type_name("WORD")
      ->group("Columns");
  command.add_option("--not-missing", options.form.values, "a word that is a value, as None or NA, or COLUMN=WORD")
      ->each_time()
      ->type_name("WORD")
      ->group("Columns");
  command.add_flag("--decimal-comma", options.form.decimal_comma, "1,5 is one and a half")->group("Columns");
  command
      .add_option("--categories", options.categories, "categories of a column, at most; the others are one",
                  whole(1, most_row_features))
      ->group("Columns");
  command.add_flag("--robust", options.robust, "standardise by median and quartiles, not by mean and deviation")
      ->group("Columns");
  command.add_option("--clip", options.clip, "deviations from the mean, at most; 0: none", real(0, 1e6))
      ->group("Columns");
}

std::string findings_text(const std::vector<ColumnFinding>& columns, const std::vector<std::string>& warnings) {
  std::size_t width = 0;
  for (const ColumnFinding& column : columns) width = std::max(width, terminal_safe(column.name).size());
  width = std::min(width, widest_name);
  std::string text;
  for (const ColumnFinding& column : columns) {
    text += fmt::format("  {:<{}}  {}\n", terminal_safe(column.name), width, column.done);
  }
  for (const std::string& warning : warnings) text += fmt::format("warning      {}\n", terminal_safe(warning));
  return text;
}

}  // namespace sotto::apps::prepare
