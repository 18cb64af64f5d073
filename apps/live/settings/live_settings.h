// The settings of the decision service, the same at every role. The order and the life of an event follow them.
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

// A column of a service that the earlier service, whose model this service begins from, did not have.
struct AddedFeature {
  std::size_t party = 0;
  std::size_t place = 0;  // among the party's columns as they are now, from 0

  friend bool operator==(const AddedFeature&, const AddedFeature&) = default;
  friend bool operator<(const AddedFeature& a, const AddedFeature& b) {
    return a.party != b.party ? a.party < b.party : a.place < b.place;
  }
};

struct LiveSettings {
  std::vector<std::string> arms;                           // names, in order; at least 2
  std::vector<std::uint32_t> batch_sizes{1, 16, 64, 256};  // 1 to 4, ascending
  std::uint64_t batch_wait = 0;                            // ms after the first event of a batch; 0: at once
  std::optional<std::uint64_t> cadence;                    // ms: instead, a decide of the largest size at this interval
  LivePadding padding = LivePadding::open;                 // hidden: empty places of a decide have random ids
  std::uint32_t cut_off = 20;                              // ms for features after a propose, on each party's clock
  std::uint64_t decision_deadline = 1000;      // ms until the baseline, if the caller names no earlier deadline
  std::optional<std::uint16_t> baseline_arm;   // nothing: no answer in place of the baseline
  std::uint64_t reward_wait = 0;               // ms from commit, 1 s to 90 d
  std::optional<double> default_reward = 0.0;  // nothing: an event without a reward is not learned
  RewardAggregation aggregation = RewardAggregation::earliest;
  LiveMode mode = LiveMode::online;         // at the beginning
  std::uint64_t agreement_window = 10'000;  // events, in mode apprentice (order/agreement.h)
  double agreement_epsilon = .1;
  std::uint64_t agreement_rows_per_subject = 1;       // the most that go into a window
  std::uint64_t remember = 30ull * 24 * 3600 * 1000;  // ms that ids are known; at least twice reward_wait
  std::uint64_t max_pending = 1'000'000;              // events that are decided and not learned
  std::size_t max_queue = 8192;                       // events that wait for a batch
  std::size_t deal_ahead = 4;                         // programs
  bool check_openings = true;                         // with three parties and more: that all have opened the same
  std::uint64_t feature_wait = 600'000;               // ms that features wait for their propose
  std::uint32_t schema = 1;
  std::vector<AddedFeature> added_features;  // ascending
  // The most events that the numbers of the model are wide enough for (batch_plan.h). After them the service is frozen.
  // Not a setting of [service].
  std::uint64_t most_learned = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint32_t largest_batch() const { return batch_sizes.back(); }
};

// How much longer than `remember` the actor knows ids. Roles forget by their own clocks and at their own times. An id
// that the actor has forgotten should be new to the parties too.
inline constexpr std::uint64_t actor_remembers_longer = 3'600'000;  // ms
// How long the rewarder keeps a reward of an event that it does not know: the event's propose may be behind.
inline constexpr std::uint64_t unknown_reward_wait = 60'000;  // ms
// How long after a commit the actor says `settled`, if no further propose says the same.
inline constexpr std::uint64_t settle_wait = 1000;  // ms
// How long batches that are due to be learned wait for a moment in which no event waits.
inline constexpr std::uint64_t learn_patience = 1000;  // ms
// How long after a learn the next learn waits for more to be due. A learn takes as long for one event as for many.
inline constexpr std::uint64_t learn_pause = 250;  // ms

// Throws InputError, one line that names the key, what it must be, and what it is. `max_norm` is the bound on a joint
// context, which bounds a batch that is learned at once.
void check(const LiveSettings& settings, double max_norm);

// A time as configs write it, "20ms", "1s", "10m", "12h", "30d", in ms. Nothing if the text is not a time, or is above
// 2^53 ms.
[[nodiscard]] std::optional<std::uint64_t> parse_live_span(std::string_view text);
// The time in the largest unit that leaves a whole number.
[[nodiscard]] std::string live_span_text(std::uint64_t ms);

// A column of a party's features. It is private to the party: others learn only how many columns there are.

struct FeatureColumn {
  std::string name;
  double low = 0;
  double high = 1;
  double missing = 0;  // the value for features that are missing

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

}  // namespace sotto::apps::live
