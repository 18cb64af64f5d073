// The counts of calls from a role's own organisation. They are kept with the role's rows, so a restart changes none of
// them. The work of numbers is counted in the chain (order/chain.h).
//
// A count is written in the same transaction as the rows that it counts. If a call changes no row, for instance because
// it is refused, its count is written later. That happens with the next call or number that changes rows, or when the
// role forgets old ids. A crash can lose only counts of such calls.
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

// Counts that do not concern the role stay 0.
struct CallFigures {
  LiveTime since = 0;  // when the store began to count, by the role's clock; 0: it has not begun
  // counts of the actor
  std::uint64_t decided = 0;  // events whose callers received an arm of a number
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
// Nothing if the bytes are not such figures.
[[nodiscard]] std::optional<CallFigures> decode_call_figures(std::span<const std::byte> bytes);

// The figures of a role. After an error of a commit they are read again, together with the role.
class KeptFigures {
 public:
  // Throws InputError if a row is damaged.
  explicit KeptFigures(const LiveRows& rows);

  // Begins to count figures at `now`, unless that has begun before.
  void begin(LiveTime now);
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_; }
  [[nodiscard]] const ColumnRanges& ranges() const noexcept { return ranges_; }
  // Returns the figures so that the caller can change them.
  [[nodiscard]] CallFigures& change() {
    has_changed_ = true;
    return figures_;
  }
  void add(const FeatureValues& row) { has_widened_ = widen(ranges_, row) || has_widened_; }

  // Puts the changed figures into the draft, if the draft also changes rows or `alone` is true.
  void put(RowDraft& draft, bool alone = false);

 private:
  CallFigures figures_;
  ColumnRanges ranges_;
  bool begins_ = false;  // true if `since` is not written yet
  bool has_changed_ = false;
  bool has_widened_ = false;
};

}  // namespace sotto::apps::live
