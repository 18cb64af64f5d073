// The settings of the decision service, which are equal at every role.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

enum class RewardAggregation : std::uint8_t { earliest, sum, max };
enum class LivePadding : std::uint8_t { open, hidden };

struct AddedFeature {
  std::size_t party = 0;
  std::size_t place = 0;

  friend bool operator==(const AddedFeature&, const AddedFeature&) = default;
  friend bool operator<(const AddedFeature& a, const AddedFeature& b) {
    return a.party != b.party ? a.party < b.party : a.place < b.place;
  }
};

struct LiveSettings {
  std::vector<std::string> arms;                           // in order; at least 2
  std::vector<std::uint32_t> batch_sizes{1, 16, 64, 256};  // 1 to 4 sizes, ascending
  std::uint64_t batch_wait = 0;                            // ms that a batch's first event waits; 0: no wait
  std::optional<std::uint64_t> cadence;        // ms between decides of the largest size; not allowed with batch_wait
  LivePadding padding = LivePadding::open;     // hidden: dummy events in a decide have random ids
  std::uint32_t cut_off = 20;                  // ms after the entry, by the party's clock; later features are too late
  std::uint64_t decision_deadline = 1000;      // ms until a call gets the baseline arm; a call may set a shorter time
  std::optional<std::uint16_t> baseline_arm;   // not set: no answer after the deadline
  std::uint64_t reward_wait = 0;               // ms after the decide's commit; later rewards are too late; 1 s to 90 d
  std::optional<double> default_reward = 0.0;  // not set: an event without a reward is not learned
  RewardAggregation aggregation = RewardAggregation::earliest;
  LiveMode mode = LiveMode::online;
  std::uint64_t agreement_window = 10'000;  // events, in mode apprentice (order/agreement.h)
  double agreement_epsilon = .1;
  std::uint64_t agreement_rows_per_subject = 1;  // the most rows of a subject in a window
  bool lift = false;                             // whether learns count the lift (order/lift_window.h)
  // The reward levels of the counts of the lift, ascending; empty: no lift. This value is not a setting of [service].
  std::vector<double> lift_levels{};
  std::uint64_t remember = 30ull * 24 * 3600 * 1000;  // how long ids are stored, in ms; at least twice reward_wait
  // How long a party keeps the rows of a decide for evaluations, in ms, at most `remember`; 0: not beyond the learn.
  std::uint64_t archive = 0;
  std::uint64_t max_pending = 1'000'000;  // the most events that are decided but not learned
  std::size_t max_queue = 8192;
  std::size_t deal_ahead = 4;
  bool check_openings = true;            // with three parties or more: compare the opened words
  std::uint64_t feature_wait = 600'000;  // how long features wait for their event, in ms
  std::uint32_t schema = 1;
  std::vector<AddedFeature> added_features;
  // After this number of learned events the service goes to mode frozen, because more events could overflow the words
  // of the model. This value is not a setting of [service].
  std::uint64_t most_learned = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint32_t largest_batch() const { return batch_sizes.back(); }
  [[nodiscard]] bool keeps_best() const { return archive > 0 || lift; }
};

// The actor stores an id for `remember` plus this time, so that the parties erase the id before the actor does.
inline constexpr std::uint64_t actor_remembers_longer = 3'600'000;  // ms
inline constexpr std::uint64_t unknown_reward_wait = 60'000;        // ms
// The time after a commit at which the actor sends `settled`, unless it proposes another entry first.
inline constexpr std::uint64_t settle_wait = 1000;  // ms
// A due batch waits at most this long while events wait for a decision.
inline constexpr std::uint64_t learn_patience = 1000;  // ms
// The least time between two learns; meanwhile more batches become due.
inline constexpr std::uint64_t learn_pause = 250;  // ms

// Rewards of a service that are not all 0 or 1 have five levels. The rewarder rounds a reward between two levels to one
// of them, at random and without bias.
[[nodiscard]] std::vector<double> lift_levels(bool binary_rewards);

// Throws InputError with one line that names a wrong setting, its value and what the value must be. `max_norm` is the
// bound on the norm of a joint context, which limits how many events can be learned at once.
void check(const LiveSettings& settings, double max_norm);

// Converts a time in a config, such as "20ms", "1s", "10m", "12h" or "30d", to ms. Returns nothing if the text is
// no time, or if the time is above 2^53 ms.
[[nodiscard]] std::optional<std::uint64_t> parse_live_span(std::string_view text);
[[nodiscard]] std::string live_span_text(std::uint64_t ms);

// A column of a party's features. Other roles learn only the number of columns.

struct FeatureColumn {
  std::string name;
  double low = 0;
  double high = 1;
  double missing = 0;  // the value of the column in the default row

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

}  // namespace sotto::apps::live
