// Whose rows a window of agreement (order/agreement.h) has in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "apps/live/roles/subjects.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// How many of each subject. The actor has it of its entries too, so that it counts the same events.
class WindowSubjects {
 public:
  // Throws InputError where rows are damaged.
  explicit WindowSubjects(const LiveRows& rows);

  // Rows of that subject in the window.
  [[nodiscard]] std::uint64_t rows_of(const SubjectHash& subject) const;
  // The number that it begins with; 0 before the first.
  [[nodiscard]] OrderNumber first() const noexcept { return first_; }
  // The next window begins with that number: nobody is in it.
  void begin(RowDraft& draft, OrderNumber first);
  // The rows of a decide, a subject each.
  void add(RowDraft& draft, OrderNumber number, std::span<const SubjectHash> subjects);
  // That decide is undone.
  void take_back(RowDraft& draft, OrderNumber number);
  // Rows of windows before are erased, `most` at a time.
  void forget(RowDraft& draft, const LiveRows& rows, std::size_t most = 256) const;

 private:
  OrderNumber first_ = 0;
  std::map<SubjectHash, std::uint64_t> rows_;
};

}  // namespace sotto::apps::live
