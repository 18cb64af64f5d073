// The settings of the decision service, which are the same at every role. They define the order and the life of an
// event.
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

// A column that this service has and the earlier service, whose model it begins from, did not have.
struct AddedFeature {
  std::size_t party = 0;
  std::size_t place = 0;  // index among the party's columns as they are now, from 0

  friend bool operator==(const AddedFeature&, const AddedFeature&) = default;
  friend bool operator<(const AddedFeature& a, const AddedFeature& b) {
    return a.party != b.party ? a.party < b.party : a.place < b.place;
  }
};

struct LiveSettings {
  std::vector<std::string> arms;                           // names of the arms, in order; at least 2
  std::vector<std::uint32_t> batch_sizes{1, 16, 64, 256};  // 1 to 4 sizes, ascending
  std::uint64_t batch_wait = 0;                            // ms that a batch's first event waits; 0: no wait
  std::optional<std::uint64_t> cadence;                    // ms between decides of largest size, without batch_wait
  LivePadding padding = LivePadding::open;                 // hidden: empty places of a decide have random ids
  std::uint32_t cut_off = 20;                              // ms for features after a propose, on each party's clock
  std::uint64_t decision_deadline = 1000;      // ms until the baseline, if the caller names no earlier deadline
  std::optional<std::uint16_t> baseline_arm;   // not set: a late caller gets no answer instead of the baseline
  std::uint64_t reward_wait = 0;               // ms that rewards may come after the commit, 1 s to 90 d
  std::optional<double> default_reward = 0.0;  // not set: an event without a reward is not learned
  RewardAggregation aggregation = RewardAggregation::earliest;
  LiveMode mode = LiveMode::online;         // the mode at the beginning
  std::uint64_t agreement_window = 10'000;  // events in a window, in mode apprentice (order/agreement.h)
  double agreement_epsilon = .1;
  std::uint64_t agreement_rows_per_subject = 1;       // the most rows of a subject in a window
  std::uint64_t remember = 30ull * 24 * 3600 * 1000;  // ms for which ids are known; at least twice reward_wait
  std::uint64_t max_pending = 1'000'000;              // the most events that are decided and not learned
  std::size_t max_queue = 8192;                       // the most events that wait for a batch
  std::size_t deal_ahead = 4;                         // programs that are planned in advance
  bool check_openings = true;                         // with three parties or more: check that all have opened the same
  std::uint64_t feature_wait = 600'000;               // ms for which features wait for their propose
  std::uint32_t schema = 1;
  std::vector<AddedFeature> added_features;  // in ascending order
  // The most events for which the numbers of the model are wide enough (batch_plan.h). After them the service is
  // frozen. This is not a setting of [service].
  std::uint64_t most_learned = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint32_t largest_batch() const { return batch_sizes.back(); }
};

// For how many ms longer than `remember` the actor knows ids. Roles forget by their own clocks and at their own times,
// and an id that the actor has forgotten should be new to the parties too.
inline constexpr std::uint64_t actor_remembers_longer = 3'600'000;  // ms
// How long the rewarder keeps a reward of an event that it does not know. The event's propose may come later than the
// reward.
inline constexpr std::uint64_t unknown_reward_wait = 60'000;  // ms
// How long after a commit the actor sends `settled`, unless a further propose says the same before.
inline constexpr std::uint64_t settle_wait = 1000;  // ms
// How long batches that are due wait for a moment in which no event waits.
inline constexpr std::uint64_t learn_patience = 1000;  // ms
// How long a learn waits after the previous learn, so that more events are due. A learn takes as long for one event as
// for many.
inline constexpr std::uint64_t learn_pause = 250;  // ms

// Throws InputError: one line that names the key, what it must be, and what it is. `max_norm` is the bound on the norm
// of a joint context. It limits how many events can be learned at once.
void check(const LiveSettings& settings, double max_norm);

// A time as configs write it, "20ms", "1s", "10m", "12h", "30d", in ms. Nothing if the text is not a time, or is above
// 2^53 ms.
[[nodiscard]] std::optional<std::uint64_t> parse_live_span(std::string_view text);
// The span `ms` in the largest unit that leaves a whole number.
[[nodiscard]] std::string live_span_text(std::uint64_t ms);

// A column of a party's features. It is private to the party: other roles learn only how many columns there are.

struct FeatureColumn {
  std::string name;
  double low = 0;
  double high = 1;
  double missing = 0;  // the value for features that are missing

  friend bool operator==(const FeatureColumn&, const FeatureColumn&) = default;
};

}  // namespace sotto::apps::live
