#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/program/command.h"
#include "apps/kit/program/number_options.h"
#include "apps/prepare/tables/prepare_party.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t widest_name = 24;

}  // namespace

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
