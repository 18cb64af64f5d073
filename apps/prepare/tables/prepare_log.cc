#include "apps/prepare/tables/prepare_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/out_options.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/number_column.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/prepare/tables/text_table.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

// The columns of log.csv whose names a kept column must not have.
constexpr std::array<std::string_view, 5> own_names{"arm", "arm_name", "reward", "propensity", "id"};

Columns columns_named(const TextTable& table, const std::vector<std::string>& names, const char* flag) {
  Columns columns;
  for (const std::string& name : names) columns.push_back(table.column(name, flag));
  return columns;
}

Columns kept_columns(const TextTable& table, const PrepareLogOptions& options) {
  Columns columns = columns_named(table, options.keep, "--keep");
  for (const std::size_t column : columns) {
    const std::string& name = table.columns()[column];
    if (std::find(own_names.begin(), own_names.end(), name) == own_names.end()) continue;
    throw InputError("--keep", fmt::format("'{}' is a name of log.csv itself: rename the column", name));
  }
  return columns;
}

ArmLabels arms_of(const TextTable& table, const PrepareLogOptions& options) {
  const std::size_t column = table.column(options.arm, "--arm");
  if (options.arms.empty()) return read_labels(table, column, options.form);
  return read_labels(table, column, options.form, options.arms);
}

// Refuses events without a reward if no option says what becomes of them.
void require_rule(const TextTable& table, std::size_t column, const std::vector<std::size_t>& missing,
                  const PrepareLogOptions& options) {
  if (missing.empty() || options.default_reward || options.leave_out) return;
  throw InputError(table.where(missing.front(), column),
                   fmt::format("column '{}': no value in {} (first here): --missing-reward 0 counts each as a reward "
                               "of 0, which is right where no answer is a no; --missing-reward leave-out leaves these "
                               "events out",
                               table.columns()[column], counted(missing.size(), "event")));
}

struct LogColumns {
  Columns id;
  Columns kept;
  std::size_t reward = 0;
  std::optional<std::size_t> propensity;
};

// The text of a number's cell. A decimal comma becomes a point. All other cells stay as they are written, so that later
// checks see the digits of the exported log.
std::string number_text(const TextTable& table, std::size_t row, std::size_t column, const NumberColumn& numbers,
                        const CellForm& form) {
  const double number = numbers.at(row);
  return form.decimal_comma ? fmt::format("{}", number) : std::string(table.cell(row, column));
}

class LogText {
 public:
  LogText(const TextTable& table, const PrepareLogOptions& options, const LogColumns& columns, const ArmLabels& arms)
      : table_(table),
        options_(options),
        columns_(columns),
        arms_(arms),
        ids_(columns.id.empty() ? std::vector<std::string>() : row_ids(table, columns.id)),
        rewards_(table, columns.reward, "a reward, a number,", options.form) {
    if (columns.propensity) {
      propensities_.emplace(table, *columns.propensity, "a probability above 0 and at most 1", options.form);
    }
  }

  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }
  [[nodiscard]] bool has_reward(std::size_t row) const { return !rewards_.is_missing_at(row); }

  [[nodiscard]] std::string text(const std::vector<std::size_t>& rows) const {
    std::string text = "arm";
    if (!arms_.texts.empty()) text += ",arm_name";
    text += ",reward";
    if (columns_.propensity) text += ",propensity";
    if (!ids_.empty()) text += ",id";
    for (const std::size_t column : columns_.kept) text += "," + csv_cell(table_.columns()[column]);
    text += '\n';
    for (const std::size_t row : rows) add_event(row, text);
    return text;
  }

 private:
  void add_event(std::size_t row, std::string& text) const {
    const std::uint32_t arm = arms_.arms[row];
    text += fmt::format("{}", arm);
    if (!arms_.texts.empty()) text += "," + csv_cell(arms_.texts[arm]);
    text += "," + (has_reward(row) ? number_text(table_, row, columns_.reward, rewards_, options_.form)
                                   : fmt::format("{}", options_.default_reward.value_or(0)));
    if (columns_.propensity) text += "," + propensity_text(row);
    if (!ids_.empty()) text += "," + csv_cell(ids_[row]);
    for (const std::size_t column : columns_.kept) text += "," + csv_cell(table_.cell(row, column));
    text += '\n';
  }

  [[nodiscard]] std::string propensity_text(std::size_t row) const {
    const double propensity = propensities_->at(row);
    if (!(propensity > 0)) propensities_->refuse(row, "a number not above 0");
    if (propensity > 1) propensities_->refuse(row, "a number above 1");
    return number_text(table_, row, *columns_.propensity, *propensities_, options_.form);
  }

  const TextTable& table_;
  const PrepareLogOptions& options_;
  const LogColumns& columns_;
  const ArmLabels& arms_;
  std::vector<std::string> ids_;
  NumberColumn rewards_;
  std::optional<NumberColumn> propensities_;
};

// The ids of the events, in the columns of the exported log.
std::string events_text(const TextTable& table, const Columns& columns, const std::vector<std::size_t>& rows) {
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cell_of(columns[i]));
    text += '\n';
  };
  add_line([&](std::size_t column) { return std::string_view(table.columns()[column]); });
  for (const std::size_t row : rows) add_line([&](std::size_t column) { return table.cell(row, column); });
  return text;
}

std::size_t distinct(const std::vector<std::string>& ids, const std::vector<std::size_t>& rows) {
  std::unordered_set<std::string_view> seen;
  for (const std::size_t row : rows) seen.insert(ids[row]);
  return seen.size();
}

}  // namespace

PrepareLogResult prepare_log(const PrepareLogOptions& options) {
  const TextTable table = TextTable::read(options.table, options.has_header);
  if (table.rows() == 0) throw InputError(table.file(), "the log has no event");
  LogColumns columns{columns_named(table, options.id, "--id"), kept_columns(table, options),
                     table.column(options.reward, "--reward"), std::nullopt};
  if (options.propensity) columns.propensity = table.column(*options.propensity, "--propensity");
  if (!columns.id.empty()) require_ids(table, columns.id, options.form);
  const ArmLabels arms = arms_of(table, options);
  const LogText log(table, options, columns, arms);

  std::vector<std::size_t> rows;
  std::vector<std::size_t> missing;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!log.has_reward(row)) missing.push_back(row);
    if (log.has_reward(row) || !options.leave_out) rows.push_back(row);
  }
  require_rule(table, columns.reward, missing, options);
  if (rows.empty()) throw InputError(table.file(), "no event has a reward");

  PrepareLogResult result;
  result.log_file = options.output / "log.csv";
  result.events = rows.size();
  result.arms = arms.count;
  result.names = arms.texts;
  result.missing_rewards = missing.size();
  if (!arms.warning.empty()) result.warnings.push_back(arms.warning);
  std::vector<NewFile> files{{result.log_file, log.text(rows)}};
  if (!columns.id.empty()) {
    std::vector<std::string> damage = damaged_ids(table, columns.id);
    std::move(damage.begin(), damage.end(), std::back_inserter(result.warnings));
    result.customers = distinct(log.ids(), rows);
    result.events_file = options.output / "events.csv";
    files.push_back({*result.events_file, events_text(table, columns.id, rows)});
  }
  make_run_directory(options.output);
  write_files(files);
  return result;
}

}  // namespace sotto::apps::prepare
