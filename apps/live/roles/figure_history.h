// The course of a role's figures over the life of its store.
//
// The history has totals at points in time, at most `most_points` of them. When the history is full, every other point
// is dropped and the spacing doubles. So the history always covers the whole life of the store. The role writes the
// history when it erases old rows, so a crash may lose the last point.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

struct HistoryPoint {
  // The actor: events decided, baselines. A party: features stored, features missing. The rewarder: events learned, the
  // sum of their rewards.
  using Totals = std::array<double, 2>;

  LiveTime at = 0;
  Totals totals{};

  friend bool operator==(const HistoryPoint&, const HistoryPoint&) = default;
};
using HistoryPoints = std::vector<HistoryPoint>;  // ascending in time

[[nodiscard]] std::vector<std::byte> encode(const HistoryPoints& points);
// Returns nothing if the bytes are not encoded points in ascending order.
[[nodiscard]] std::optional<HistoryPoints> decode_history(std::span<const std::byte> bytes);

class FigureHistory {
 public:
  static constexpr std::size_t most_points = 240;
  static constexpr LiveTime first_spacing = 10'000;  // ms

  // Throws InputError if the row is damaged.
  explicit FigureHistory(const LiveRows& rows);

  // Adds a point if the totals differ from those of the last point and the last point is old enough. If the clock was
  // set back, drops the points after `now`.
  void note(LiveTime now, const HistoryPoint::Totals& totals);
  void put(RowDraft& draft);
  // Never null.
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& points() const noexcept { return points_; }

 private:
  std::shared_ptr<const HistoryPoints> points_;
  bool has_changed_ = false;
};

}  // namespace sotto::apps::live
