// What a role counts of the calls of its own side, kept with its rows: a restart changes nothing of it. What numbers do
// is counted in the chain (order/chain.h).
//
// A count is written with what it counts, in the same transaction. A call that changes no row, one that is refused for
// instance, is written with the next call or number that does, and as the role forgets what is old: what a crash loses
// is of these alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/roles/features.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// What does not concern the role stays 0.
struct CallFigures {
  LiveTime since = 0;  // when the store began to count, by the role's clock; 0: it has not
  // the actor
  std::uint64_t decided = 0;  // events that were told an arm of a number
  std::uint64_t baselines = 0;
  std::uint64_t rejected = 0;       // calls that were refused, whatever for
  std::vector<std::uint64_t> arms;  // told, by arm
  // a party
  std::uint64_t features = 0;  // events whose features were stored
  std::uint64_t late_features = 0;
  std::uint64_t dropped_features = 0;  // that no event asked for
  // the rewarder
  std::array<std::uint64_t, reward_statuses> rewards{};  // by status

  friend bool operator==(const CallFigures&, const CallFigures&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const CallFigures& figures);
// Nothing if the bytes are none.
[[nodiscard]] std::optional<CallFigures> decode_call_figures(std::span<const std::byte> bytes);

// The figures of a role. After an error of a commit they are read anew, as the role is.
class KeptFigures {
 public:
  // Throws InputError where a row is damaged.
  explicit KeptFigures(const LiveRows& rows);

  // From now on, if they have not begun.
  void begin(LiveTime now);
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_; }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return ranges_; }
  // To be changed.
  [[nodiscard]] CallFigures& change() {
    has_changed_ = true;
    return figures_;
  }
  void add(const FeatureValues& row) { has_widened_ = widen(ranges_, row) || has_widened_; }

  // What has changed goes with the draft: where that changes something, or `alone`.
  void put(RowDraft& draft, bool alone = false);

 private:
  CallFigures figures_;
  ColumnRanges ranges_;
  bool begins_ = false;  // `since` is not written yet
  bool has_changed_ = false;
  bool has_widened_ = false;
};

}  // namespace sotto::apps::live
