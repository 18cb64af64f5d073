// The lift of the service over its baseline arm.
//
// With LiveSettings::lift, each learn also counts the learned events by reward level, in shares
// (apps/bandit/model/batch/lift.h). It counts all events, and those whose played arm is the baseline arm. A bit splits
// the latter: whether that arm was the model's best. From these counts the actor estimates what the baseline arm would
// have earned, and so the lift (api/lift_figures.h). The counts of a window of LiveSettings::agreement_window events
// are added up. The learn that fills a window adds noise. The next learn shows the sums to the actor and begins a new
// window.
//
// The guarantee. Assume that the actor and all roles except one party P and the dealer collude. Even then, the sums of
// a window are epsilon-differentially private in all features that P has of one subject, given the played arms and the
// rewards. With these fixed, the features of an event change only the event's bit, and the bit moves two counts by 1.
// P counts at most m events of a subject in a window (agreement_rows_per_subject). To each count that the bit affects,
// P adds discrete Laplace noise of scale 2 m / epsilon. If P has an account, it charges each subject epsilon before the
// subject's first event of a window. An event that P does not count enters no count, and no role sees which events
// these are. What the played arms reveal is in eta (apps/bandit/model/privacy.h), and not in this epsilon.
//
// The rewarder adds noise too, because the counts are of its rewards. One reward moves at most four counts by 1, so the
// noise has scale 4 m / epsilon, in every count.
//
// The limits of the guarantee are those of windows of agreement (agreement.h). A role writes its noise to the disk
// before the sums are shown, so a learn that is rolled back and repeated shows the same sums again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

// Counts in the order of apps/bandit/model/batch/lift.h: all, best and other, each by level.
using LiftWords = std::vector<std::uint64_t>;

struct LiftWindow {
  // Equal at the actor, the parties and the rewarder.
  std::uint64_t events = 0;  // learned events in the window, counted or not
  bool is_full = false;      // true: the next learn shows the sums
  std::uint64_t opened = 0;
  double spent = 0;  // sum of the epsilons of all filled windows
  // At a party: its shares of the window's counts, with its noise once the window is full. At the rewarder: its noise
  // for a full window.
  LiftWords words;
  // At the actor: the counts of the last opened window, and their sums over all opened windows.
  LiftWords last;
  LiftWords all;

  friend bool operator==(const LiftWindow&, const LiftWindow&) = default;
};

// What a learn adds, at one role.
struct LiftCounted {
  std::uint64_t events = 0;
  LiftWords words;  // at a party: shares of the learn's counts, and of its noise if the learn fills the window. At the
                    // rewarder: noise, if the learn fills the window
  LiftWords shown;  // at the actor
};

struct LiftTerms {
  std::size_t levels = 0;  // 0: no lift
  std::uint64_t window = 0;
  double epsilon = 0;

  [[nodiscard]] std::size_t words() const { return 3 * levels; }
};
[[nodiscard]] LiftWindow after(const LiftWindow& before, const LiftCounted& learn, const LiftTerms& terms);
[[nodiscard]] bool fills(const LiftWindow& before, std::uint64_t events, const LiftTerms& terms);
// After a recovery the counts of the current window are never shown (agreement.h).
[[nodiscard]] LiftWindow with_new_window(const LiftWindow& before);

void write(ByteWriter& out, const LiftWindow& lift);
[[nodiscard]] LiftWindow read_lift_window(ByteReader& in);

}  // namespace sotto::apps::live
