// The subjects whose rows are in a window of agreement (order/agreement.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "apps/live/roles/subjects.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// Counts how many rows of each subject are in the window. The actor counts the subjects in its entries, so that the
// actor and the parties count the same events.
class WindowSubjects {
 public:
  // Throws InputError if rows are damaged.
  explicit WindowSubjects(const LiveRows& rows);

  // The number of rows of the given subject in the window.
  [[nodiscard]] std::uint64_t rows_of(const SubjectHash& subject) const;
  // The number of the decide that began the window; 0 before the first window.
  [[nodiscard]] OrderNumber first() const noexcept { return first_; }
  // Begins an empty window at the number `first`.
  void begin(RowDraft& draft, OrderNumber first);
  // Adds the rows of a decide, one subject per row.
  void add(RowDraft& draft, OrderNumber number, std::span<const SubjectHash> subjects);
  // Removes the rows of a decide that is rolled back.
  void take_back(RowDraft& draft, OrderNumber number);
  // Erases rows of earlier windows, `most` at a time.
  void forget(RowDraft& draft, const LiveRows& rows, std::size_t most = 256) const;

 private:
  OrderNumber first_ = 0;
  std::map<SubjectHash, std::uint64_t> rows_;
};

}  // namespace sotto::apps::live
