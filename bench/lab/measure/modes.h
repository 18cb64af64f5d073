// The modes of preprocessing, each beside a dealer for as many parties: the private bandit in one configuration, the
// runs in turn, every role a process, over plain TCP on loopback. In batches a step is an event.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/settings/options.h"
#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct ModeCase {
  RandomnessBy mode = RandomnessBy::replicated;  // not the dealer, who is measured beside it
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 1000;
  std::size_t batch = 1;                                     // events that are decided, and learned, at once
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;  // of single steps

  [[nodiscard]] bool selects_first() const { return batch == 1 && update == bandit::StepUpdate::pulled_arm; }
  // The mode has no other number of parties.
  [[nodiscard]] std::size_t parties() const { return mode == RandomnessBy::replicated ? 3 : 2; }
};

// Of one maker of randomness; one sample each time, microseconds a step.
struct ModeFigures {
  // From the first round to the last, all roles together on this machine: making randomness, or waiting for the dealer,
  // included.
  std::vector<double> all_us;
  // Of the parties, without what is made ahead. The dealer's are those of runs that it deals for before the first
  // round.
  std::vector<double> online_us;
  // What the parties make ahead; of the dealer its CPU time.
  std::vector<double> preprocessing_us;
  // A step, by the largest party.
  double rounds = 0;
  double preprocessing_rounds = 0;
  double sent_bytes = 0;
  double preprocessing_bytes = 0;  // sent; of the dealer what it deals to the last party
};

// What one configuration gave.
struct ModeMeasurement {
  ModeCase configuration;
  ModeFigures made;   // by the parties
  ModeFigures dealt;  // by a dealer; at least one sample of each
};

// The tables of `sotto-lab bench modes`: times and bytes of each mode and of the dealer beside it, and which of the
// targets are met.
//
// Targets, with 20 features and 10 arms, of single steps that select the pulled arm first. Three parties by replicated
// keys: a single step takes at most 1.6 times that with a dealer, an event in batches of 256 at most 83.3 us, which is
// 12,000 a second. Two parties by transfers: a single step takes at most 6 ms, an event in batches of 1,024 at most 3
// ms and 320 KB sent by a party. Others have none.
[[nodiscard]] std::vector<FigureTable> mode_tables(const std::vector<ModeMeasurement>& measurements);

}  // namespace sotto::apps::lab
