// Preprocessing without a dealer, compared with a dealer for the same number of parties. If the bandit runs in batches,
// "step" means one event.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/settings/options.h"
#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct ModeCase {
  RandomnessBy mode = RandomnessBy::replicated;
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 1000;
  std::size_t batch = 1;
  bandit::StepUpdate update = bandit::StepUpdate::all_arms;

  [[nodiscard]] bool selects_first() const { return batch == 1 && update == bandit::StepUpdate::pulled_arm; }
  [[nodiscard]] std::size_t parties() const { return mode == RandomnessBy::replicated ? 3 : 2; }
};

// Each list has one sample for each measurement, in microseconds for a step.
struct ModeFigures {
  // Time from the first round to the last, including the making of randomness or the wait for the dealer.
  std::vector<double> all_us;
  // Without preprocessing. With a dealer, randomness is dealt before the first round.
  std::vector<double> online_us;
  // With a dealer, the dealer's CPU time.
  std::vector<double> preprocessing_us;
  // Numbers for each step, of the party with the largest number.
  double rounds = 0;
  double preprocessing_rounds = 0;
  double sent_bytes = 0;
  double preprocessing_bytes = 0;  // with a dealer, the bytes dealt to the last party
};

struct ModeMeasurement {
  ModeCase configuration;
  ModeFigures made;
  ModeFigures dealt;
};

[[nodiscard]] std::vector<FigureTable> mode_tables(const std::vector<ModeMeasurement>& measurements);

}  // namespace sotto::apps::lab
