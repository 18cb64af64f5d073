#include "apps/prepare/tables/prepare_party.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
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
#include "apps/prepare/tables/event_rows.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/table_rows.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

struct Prepared {
  TextTable table;
  Recipe recipe;
  std::optional<ArmLabels> labels;
  std::vector<std::string> ids{};  // the id of each row of the table; empty if the table has no ids
};

// The rows of rows.csv.
struct RowPlan {
  std::vector<std::size_t> rows;      // by row: the row of the table, or table.rows() for a row of missing values
  std::vector<std::string> ids{};     // by row; empty if the table has no ids
  std::optional<std::string> digest;  // of the ids in order
  std::size_t absent = 0;             // number of rows of missing values
};

Prepared prepared_of(TextTable table, const PreparePartyOptions& options, PreparePartyResult& result) {
  PartyRecipe made = options.recipe ? use_recipe(table, read_recipe(*options.recipe)) : fit_party(table, options);
  result.columns = std::move(made.columns);
  result.warnings = std::move(made.warnings);
  result.kept_variance = made.kept_variance;
  std::vector<std::string> ids = checked_ids(table, made.recipe);
  return {std::move(table), std::move(made.recipe), std::move(made.labels), std::move(ids)};
}

[[noreturn]] void refuse_without_ids(const char* flag, const PreparePartyOptions& options) {
  throw InputError(flag, options.recipe ? "the recipe has no column of ids; make one that has by `sotto prepare party "
                                          "TABLE --id COLUMN`"
                                        : "name the column of the ids with --id");
}

// One row per event of the list.
RowPlan rows_of_events(const Prepared& prepared, const PreparePartyOptions& options) {
  if (prepared.ids.empty()) refuse_without_ids("--events", options);
  if (options.sort) throw InputError("--sort", "the rows have the order of the events with --events");
  const TextTable events = TextTable::read(*options.events);
  EventRows joined = join_events(events, prepared.table, id_columns(prepared.table, prepared.recipe), prepared.ids,
                                 form_of_ids(prepared.recipe), options.allows_absent);
  return {std::move(joined.rows), std::move(joined.ids), std::move(joined.order), joined.absent};
}

RowPlan row_plan_of(const Prepared& prepared, const PreparePartyOptions& options) {
  if (options.events) return rows_of_events(prepared, options);
  RowPlan plan;
  if (prepared.ids.empty()) {
    if (options.sort) refuse_without_ids("--sort", options);
    plan.rows.resize(prepared.table.rows());
    std::iota(plan.rows.begin(), plan.rows.end(), std::size_t{0});
    return plan;
  }
  plan.rows = order_of_ids(views_of(prepared.ids), options.sort);
  for (const std::size_t r : plan.rows) plan.ids.push_back(prepared.ids[r]);
  plan.digest = order_digest(views_of(plan.ids));
  return plan;
}

void add_missing_row(const RowMaker& maker, std::vector<double>& values) {
  const std::vector<TableCell> cells(maker.recipe().columns.size());
  RowNotes unused;
  values.resize(values.size() + maker.width());
  maker.make(cells, std::span(values).last(maker.width()), unused);
}

std::vector<double> in_order(const std::vector<double>& values, std::size_t width,
                             const std::vector<std::size_t>& order) {
  std::vector<double> result;
  result.reserve(order.size() * width);
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

// The subjects of the rows of rows.csv.
struct RowSubjects {
  std::vector<std::string> ids;
  bool are_named = false;  // whether a column was named for subjects
};

// The subjects come from the column that was named for subjects. Without such a column, the subjects come from the file
// of the company's own ids, if an alignment has written this file next to the table. The ids in an aligned table are
// only pseudonyms, and each alignment makes new ones. Without a column and a file, the subjects are the ids of the
// rows.
RowSubjects subjects_of(const Prepared& prepared, const PreparePartyOptions& options, const RowPlan& plan) {
  const std::size_t named = prepared.recipe.column_of(ColumnUse::subject);
  const auto column = column_of_use(prepared.table, prepared.recipe, ColumnUse::subject);
  if (named < prepared.recipe.columns.size() && !column) {
    throw InputError(prepared.table.where_names(), fmt::format("there is no column '{}', in which the recipe has whom "
                                                               "rows are about",
                                                               prepared.recipe.columns[named].name));
  }
  const std::filesystem::path own_ids = subjects_file_of(options.table);
  if (!column && !file_exists(own_ids)) return {plan.ids};
  RowSubjects subjects{{}, column.has_value()};
  const std::vector<std::string> ids =
      column ? row_ids(prepared.table, {*column}) : read_subjects(own_ids, options.table, prepared.table.rows());
  for (std::size_t row = 0; row < plan.rows.size(); ++row) {
    const bool is_absent = plan.rows[row] == prepared.table.rows();
    subjects.ids.push_back(is_absent ? plan.ids[row] : ids[plan.rows[row]]);
  }
  return subjects;
}

// The place of a row of rows.csv for a message: the row of the table, or the event if the table lacks the event's id.
std::string place_of(const Prepared& prepared, const RowPlan& plan, std::size_t row) {
  const std::size_t of_table = plan.rows[row];
  return of_table < prepared.table.rows() ? prepared.table.where(of_table) : fmt::format("--events, event {}", row + 1);
}

// Adds the file of the rows' subjects next to the file of rows.
void add_subjects(const Prepared& prepared, const PreparePartyOptions& options, const RowPlan& plan,
                  PreparePartyResult& result, std::vector<NewFile>& files) {
  const NewFile& rows = files.front();
  const std::filesystem::path path = subjects_file_of(rows.path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  const RowSubjects subjects = subjects_of(prepared, options, plan);
  if (subjects.ids.empty()) return;
  const auto wrong = std::find_if_not(subjects.ids.begin(), subjects.ids.end(), is_subject);
  if (wrong == subjects.ids.end()) {
    std::string text = subjects_text(views_of(subjects.ids), rows.contents);
    files.push_back({path, std::move(text)});
    return;
  }
  const std::string place = place_of(prepared, plan, static_cast<std::size_t>(wrong - subjects.ids.begin()));
  if (subjects.are_named) {
    throw InputError(place, fmt::format("expected whom the row is about: 1 to {} bytes in one line", longest_subject));
  }
  result.warnings.push_back(
      fmt::format("{}: the id is empty, too long or of several lines, so no file says whom rows are about", place));
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
  const RowPlan plan = row_plan_of(prepared, options);
  const std::vector<std::string> damage = damaged_ids(prepared.table, id_columns(prepared.table, prepared.recipe));
  result.warnings.insert(result.warnings.end(), damage.begin(), damage.end());
  result.features = maker.recipe().names();
  result.rows = plan.rows.size();
  result.absent = plan.absent;
  result.norm = maker.recipe().norm;
  std::vector<double> values = make_rows(prepared.table, maker, result.notes);
  if (plan.absent > 0) add_missing_row(maker, values);
  for (std::string& warning : warnings_of_rows(prepared.recipe, result.notes, options.recipe.has_value())) {
    result.warnings.push_back(std::move(warning));
  }

  std::vector<NewFile> files;
  result.rows_file = options.output / "rows.csv";
  files.push_back({result.rows_file, csv_text(result.features, in_order(values, maker.width(), plan.rows))});
  // The log has what the arms of events earned, so the labels of a table are only left out of the features.
  if (prepared.labels && !options.events) {
    result.arms = prepared.labels->count;
    result.labels = prepared.labels->texts;
    result.environment_file = options.output / "environment.csv";
    files.push_back({*result.environment_file, environment_text(*prepared.labels, plan.rows)});
  }
  add_orders(plan.digest, files);
  add_subjects(prepared, options, plan, result, files);
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
