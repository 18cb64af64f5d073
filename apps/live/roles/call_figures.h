// The counts of calls from a role's own organisation. A count is written in the same transaction as the rows that it
// counts. The count of a call that changes no row, for instance a refused call, is written later. A crash can lose only
// such counts.
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

struct CallFigures {
  LiveTime since = 0;  // when the store began to count, by the role's clock; 0: not yet
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;
  std::vector<std::uint64_t> arms;  // for each arm, how often callers received it
  std::uint64_t features = 0;
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;
  std::array<std::uint64_t, reward_statuses> rewards{};

  friend bool operator==(const CallFigures&, const CallFigures&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const CallFigures& figures);
[[nodiscard]] std::optional<CallFigures> decode_call_figures(std::span<const std::byte> bytes);

class KeptFigures {
 public:
  // Throws InputError if a row is damaged.
  explicit KeptFigures(const LiveRows& rows);

  // Records `now` as the time at which the figures begin, unless such a time is already recorded.
  void begin(LiveTime now);
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_; }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return ranges_; }
  [[nodiscard]] CallFigures& change() {
    has_changed_ = true;
    return figures_;
  }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& history() const noexcept { return history_.points(); }
  // Adds a point to the history if one is due.
  void note(LiveTime now, const HistoryPoint::Totals& totals) { history_.note(now, totals); }
  void add(const FeatureValues& row) { has_widened_ = widen(ranges_, row) || has_widened_; }

  void put(RowDraft& draft, bool alone = false);

 private:
  CallFigures figures_;
  ColumnRanges ranges_;
  FigureHistory history_;
  bool begins_ = false;
  bool has_changed_ = false;
  bool has_widened_ = false;
};

}  // namespace sotto::apps::live
