// Counts how many rows of each subject are in a window of agreement (order/agreement.h) or of the lift
// (order/lift_window.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "apps/live/roles/subjects.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// The actor counts the pseudonyms in the entries. A party counts the same subjects as SubjectCounts.
class WindowSubjects {
 public:
  // Throws InputError if rows are damaged. `table` is LiveTable::window or LiveTable::lift_window.
  explicit WindowSubjects(const LiveRows& rows, LiveTable table = LiveTable::window);

  [[nodiscard]] std::uint64_t rows_of(const SubjectHash& subject) const;
  // The number of the entry that began the window; 0 before the first window.
  [[nodiscard]] OrderNumber first() const noexcept { return first_; }
  void begin(RowDraft& draft, OrderNumber first);
  void add(RowDraft& draft, OrderNumber number, std::span<const SubjectHash> subjects);
  void take_back(RowDraft& draft, OrderNumber number);
  void forget(RowDraft& draft, const LiveRows& rows, std::size_t most = 256) const;

 private:
  LiveTable table_;
  OrderNumber first_ = 0;
  std::map<SubjectHash, std::uint64_t> rows_;
};

}  // namespace sotto::apps::live
