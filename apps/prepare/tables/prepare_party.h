// From a company's own table to its file of a run, without the others: `sotto prepare party`.
//
// Into a folder go rows.csv (features, row t about the case of the table's row t), recipe.toml (how a row is made:
// recipe.h) and, with a label, environment.csv; with ids also the order of the rows beside both
// (apps/kit/files/row_order.h), and whom they are about beside rows.csv (apps/kit/account/subjects.h). Either all of
// them appear or none. Every row keeps to the company's share of the bound on the norm of a joint row: max_norm /
// sqrt(parties), or what is asked for.
//
// Throws InputError for options or tables that do not fit (naming the flag or file:line:cell), ResourceError when the
// files cannot be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

inline constexpr double default_constant = 0.2;

struct PreparePartyOptions {
  std::filesystem::path table;
  bool has_header = true;
  FitOptions fit = party_fit();                   // its norm is set from the next three
  std::optional<std::filesystem::path> recipe{};  // of an earlier table; then nothing is fitted
  std::size_t parties = 2;                        // 2 to 8
  double max_norm = 1;                            // of a joint row
  std::optional<double> share{};                  // of this company, instead of max_norm / sqrt(parties)
  bool sort = false;                              // rows in the order of their ids, by bytes
  std::filesystem::path output;                   // a folder, made if need be

  // A constant, and rows of one norm.
  [[nodiscard]] static FitOptions party_fit();
};

struct PreparePartyResult {
  std::filesystem::path rows_file;
  std::optional<std::filesystem::path> recipe_file;       // where one was made
  std::optional<std::filesystem::path> environment_file;  // where there are labels
  std::size_t rows = 0;
  std::vector<std::string> features;   // their names
  double norm = 0;                     // that no row is above
  RowNotes notes;                      // of all rows
  std::size_t arms = 0;                // of the labels
  std::vector<std::string> labels;     // by arm, where they are not its number
  std::vector<ColumnFinding> columns;  // what was done with each
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;
};

[[nodiscard]] PreparePartyResult prepare_party(const PreparePartyOptions& options);

// Declares the flags of FitOptions, but for norm, unit and components.
void add_fit_options(Command& command, FitOptions& options);
// "age: number, standardised" for each column, and the warnings: lines for a terminal.
[[nodiscard]] std::string findings_text(const std::vector<ColumnFinding>& columns,
                                        const std::vector<std::string>& warnings);

// `sotto prepare party`, below `sotto prepare`.
void add_prepare_party_command(Command& prepare);

}  // namespace sotto::apps::prepare
