// How the rows that a party's recipe makes differ from the table that it was learned from: values that are missing,
// categories that the recipe does not know, numbers that are clipped. Counted by column since the process began, for
// the party's own figures and metrics; where there are many more than usual, a line of the log, at most once an hour.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/metrics/metrics.h"
#include "apps/live/settings/live_settings.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps::live {

enum class CellMark : std::uint8_t { missing, unknown, clipped };

// Of one row: what was met in columns of the recipe, and nothing of the others.
struct MarkedCell {
  std::uint32_t column;
  CellMark mark;
};
using RowMarks = std::vector<MarkedCell>;
// `notes` are of that row alone.
[[nodiscard]] RowMarks marks_of(const prepare::RowNotes& notes);

class RowDrift {
 public:
  static constexpr LiveTime between_lines = 3'600'000;  // ms
  // Columns with series of their own; the others share one.
  static constexpr std::size_t most_columns_of_metrics = 1000;

  // From now on `say` gets lines for the log, and `metrics`, which must outlive this, the counts.
  void report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics);
  // A row that the service has stored; or of a table that was looked up, once more where its number is proposed again.
  void add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now);

  [[nodiscard]] const prepare::RowNotes& notes() const noexcept { return notes_; }

 private:
  void say_drift(const prepare::Recipe& recipe, LiveTime now);

  prepare::RowNotes notes_;
  prepare::RowNotes since_line_;
  std::optional<LiveTime> last_line_;
  std::function<void(const std::string&)> say_;
  std::vector<Counter*> counters_;  // by column; null where it has no features
};

}  // namespace sotto::apps::live
