// Makes a company's files for a run from the company's own table, without the other companies: `sotto prepare party`.
//
// The output folder gets rows.csv (features; row t is made from the table's row t), recipe.toml (recipe.h) and, with a
// label, environment.csv. If the table has ids, a file with the order of the rows is next to rows.csv and to
// environment.csv (apps/kit/files/row_order.h). The file of the rows' subjects is next to rows.csv
// (apps/kit/account/subjects.h). Either all files appear or none. The norm of every row is at most the company's share
// of the bound on the norm of a joint row: max_norm / sqrt(parties), or the requested share.
//
// Throws InputError for options or tables that do not fit (naming the flag or file:line:cell), and ResourceError if the
// files cannot be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/party_recipe.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

struct PreparePartyOptions : PartyFitOptions {
  std::filesystem::path table;
  bool has_header = true;
  std::optional<std::filesystem::path> recipe{};  // the recipe of an earlier table; if absent, a recipe is fitted
  bool sort = false;                              // whether to order the rows by the bytes of their ids
  // A list of events (event_rows.h). If present, there is one row per event, in the order of the list.
  std::optional<std::filesystem::path> events{};
  // Whether an event whose id is not in the table gets a row in which every value is missing.
  bool allows_absent = false;
  std::filesystem::path output;
};

struct PreparePartyResult {
  std::filesystem::path rows_file;
  std::optional<std::filesystem::path> recipe_file;
  std::optional<std::filesystem::path> environment_file;
  std::size_t rows = 0;
  std::size_t absent = 0;  // number of events that have a row of missing values
  std::vector<std::string> features;
  double norm = 0;  // the largest norm that a row may have
  RowNotes notes;
  std::size_t arms = 0;
  std::vector<std::string> labels;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;
};

[[nodiscard]] PreparePartyResult prepare_party(const PreparePartyOptions& options);

void add_fit_options(Command& command, FitOptions& options);
[[nodiscard]] std::string findings_text(const std::vector<ColumnFinding>& columns,
                                        const std::vector<std::string>& warnings);

void add_prepare_party_command(Command& prepare);

}  // namespace sotto::apps::prepare
