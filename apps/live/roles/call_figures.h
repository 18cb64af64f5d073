// The counts of calls from a role's own organisation. The counts are stored with the role's rows, so a restart changes
// no count. The work that numbers of the order do is counted elsewhere, in the chain (order/chain.h).
//
// A count is written in the same transaction as the rows that it counts. The count of a call that changes no row, for
// instance a refused call, is written later: with the next change of rows, or when the role erases old ids. A crash can
// lose only counts of calls that changed no row.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/roles/features.h"
#include "apps/live/roles/figure_history.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// A role sets only the counts for its own kind of role; the others stay 0.
struct CallFigures {
  LiveTime since = 0;  // when the store began to count, by the role's clock; 0: not yet
  // counts of the actor
  std::uint64_t decided = 0;  // events whose callers received an arm from a decide
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;       // calls that were refused, for any reason
  std::vector<std::uint64_t> arms;  // for each arm, how often callers received it
  // counts of a party
  std::uint64_t features = 0;  // events whose features were stored
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;  // features that no event asked for
  // counts of the rewarder
  std::array<std::uint64_t, reward_statuses> rewards{};  // number of rewards by status

  friend bool operator==(const CallFigures&, const CallFigures&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const CallFigures& figures);
// Returns nothing if the bytes are not encoded figures.
[[nodiscard]] std::optional<CallFigures> decode_call_figures(std::span<const std::byte> bytes);

// The stored figures of a role. If a commit fails, the figures are read from the rows again, together with the role.
class KeptFigures {
 public:
  // Throws InputError if a row is damaged.
  explicit KeptFigures(const LiveRows& rows);

  // Records `now` as the time at which the figures begin, unless such a time is already recorded.
  void begin(LiveTime now);
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_; }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return ranges_; }
  // Returns the figures so that the caller can change them.
  [[nodiscard]] CallFigures& change() {
    has_changed_ = true;
    return figures_;
  }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& history() const noexcept { return history_.points(); }
  // Adds a point to the history if one is due.
  void note(LiveTime now, const HistoryPoint::Totals& totals) { history_.note(now, totals); }
  void add(const FeatureValues& row) { has_widened_ = widen(ranges_, row) || has_widened_; }

  // Adds the changed figures to the draft, if the draft already changes rows or `alone` is true.
  void put(RowDraft& draft, bool alone = false);

 private:
  CallFigures figures_;
  ColumnRanges ranges_;
  FigureHistory history_;
  bool begins_ = false;  // true if `since` is not written yet
  bool has_changed_ = false;
  bool has_widened_ = false;
};

}  // namespace sotto::apps::live
