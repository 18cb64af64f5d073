// The settings of the decision service, the same at every role: what the order and the life of an event go by.
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

// A column that a service has and the one of before, whose model it begins from, had not.
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
  std::optional<std::uint64_t> cadence;                    // ms: instead, a decide of the largest size so often
  LivePadding padding = LivePadding::open;                 // hidden: empty places of a decide have random ids
  std::uint32_t cut_off = 20;                              // ms for features after a propose, on each party's clock
  std::uint64_t decision_deadline = 1000;      // ms; the baseline's time, if the caller names no earlier one
  std::optional<std::uint16_t> baseline_arm;   // nothing: no answer instead of the baseline
  std::uint64_t reward_wait = 0;               // ms from commit, 1 s to 90 d
  std::optional<double> default_reward = 0.0;  // nothing: without a reward an event is not learned
  RewardAggregation aggregation = RewardAggregation::earliest;
  LiveMode mode = LiveMode::online;         // at the beginning
  std::uint64_t agreement_window = 10'000;  // events, in mode apprentice (order/agreement.h)
  double agreement_epsilon = .1;
  std::uint64_t agreement_rows_per_subject = 1;       // that go into a window
  std::uint64_t remember = 30ull * 24 * 3600 * 1000;  // ms that ids are known; at least twice reward_wait
  std::uint64_t max_pending = 1'000'000;              // events that are decided and not learned
  std::size_t max_queue = 8192;                       // events that wait for a batch
  std::size_t deal_ahead = 4;                         // programs
  bool check_openings = true;                         // of three parties and more, that all have opened the same
  std::uint64_t feature_wait = 600'000;               // ms that features wait for their propose
  std::uint32_t schema = 1;
  std::vector<AddedFeature> added_features;  // ascending
  // What the numbers of the model are wide enough for (batch_plan.h): then the service is frozen. Not of [service].
  std::uint64_t most_learned = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint32_t largest_batch() const { return batch_sizes.back(); }
};

// How much longer than `remember` the actor knows ids. Roles forget by their own clocks and in their own turns: an id
// that the actor has forgotten should be new to the parties too.
inline constexpr std::uint64_t actor_remembers_longer = 3'600'000;  // ms
// How long a reward is kept whose event the rewarder does not know: its propose may be behind.
inline constexpr std::uint64_t unknown_reward_wait = 60'000;  // ms
// How long after a commit `settled` is said, if no further propose says the same.
inline constexpr std::uint64_t settle_wait = 1000;  // ms
// How long what is due to be learned waits for a moment in which no event waits.
inline constexpr std::uint64_t learn_patience = 1000;  // ms
// How long after a learn the next one waits for more to be due. A learn takes as long for one event as for many.
inline constexpr std::uint64_t learn_pause = 250;  // ms

// Throws InputError, one line that names the key, what it must be, and what it is. `max_norm` is the bound on a joint
// context, which bounds a batch that is learned at once.
void check(const LiveSettings& settings, double max_norm);

// A time as configs have it, "20ms", "1s", "10m", "12h", "30d", in ms; nothing if the text is none, or is above 2^53
// ms.
[[nodiscard]] std::optional<std::uint64_t> parse_live_span(std::string_view text);
// In the largest unit that leaves a whole number.
[[nodiscard]] std::string live_span_text(std::uint64_t ms);

// A column of a party's features: the party's own, of which others learn only how many there are.

struct FeatureColumn {
  std::string name;
  double low = 0;
  double high = 1;
  double missing = 0;  // what stands where features are missing

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

}  // namespace sotto::apps::live
