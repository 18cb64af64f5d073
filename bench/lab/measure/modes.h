// The modes of preprocessing, each compared with a dealer for the same number of parties. For each configuration, the
// private bandit runs in turn with randomness that is made in the mode and with randomness from a dealer. Every role is
// a process, and the links are plain TCP on loopback. If the bandit runs in batches, "step" means one event.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/settings/options.h"
#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct ModeCase {
  RandomnessBy mode = RandomnessBy::replicated;  // any mode except the dealer, which is measured for comparison
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 1000;
  std::size_t batch = 1;  // the number of events that are decided, and learned, at once
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;  // the arms for which a single step computes an update

  [[nodiscard]] bool selects_first() const { return batch == 1 && update == bandit::StepUpdate::pulled_arm; }
  // The number of parties; each mode allows only one number.
  [[nodiscard]] std::size_t parties() const { return mode == RandomnessBy::replicated ? 3 : 2; }
};

// Figures of one maker of randomness. Each list has one sample for each measurement, in microseconds for a step.
struct ModeFigures {
  // The time from the first round to the last, with all roles on this machine. The time all_us includes the making of
  // randomness, or the wait for the dealer.
  std::vector<double> all_us;
  // The time of the parties without preprocessing. With a dealer, online_us is measured in runs whose randomness is
  // dealt before the first round.
  std::vector<double> online_us;
  // The time of the parties' preprocessing; with a dealer, the dealer's CPU time.
  std::vector<double> preprocessing_us;
  // Rounds and bytes for each step, at the party with the largest figures.
  double rounds = 0;
  double preprocessing_rounds = 0;
  double sent_bytes = 0;
  double preprocessing_bytes = 0;  // bytes sent for preprocessing; with a dealer, the bytes dealt to the last party
};

// The result of one configuration.
struct ModeMeasurement {
  ModeCase configuration;
  ModeFigures made;   // randomness made by the parties
  ModeFigures dealt;  // randomness dealt by a dealer; at least one sample of each figure
};

// The tables of `sotto-lab bench modes`: times and bytes of each mode, next to the times and bytes with a dealer, and
// the targets with the results.
//
// The targets are for 20 features and 10 arms, and for single steps that select the pulled arm first. For three parties
// with replicated keys, a single step takes at most 1.6 times as long as with a dealer. An event in batches of 256
// takes these parties at most 83.3 us, which is 12,000 events a second. For two parties with transfers, a single step
// takes at most 6 ms. An event in batches of 1,024 takes two parties at most 3 ms, and each party sends at most 320 KB
// for the event. Other configurations have no target.
[[nodiscard]] std::vector<FigureTable> mode_tables(const std::vector<ModeMeasurement>& measurements);

}  // namespace sotto::apps::lab
