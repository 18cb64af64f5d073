// The tables of `sotto-lab bench bandit`: times and costs of each configuration, what TLS adds, and
// which of the targets are met.
//
// Targets, of a step with 20 features and 10 arms: dealt ahead, at most 2.0, 1.6 and 1.3 times the
// floor for 2, 3 and 8 parties; and for two parties at most 80 KB dealt, 30 KB sent by a party
// and 100 us of the dealer's CPU; all streaming together at most 200 us; 40 arms at most 3
// times, 100 arms at most 10 times the time of 10 arms in the same measurement. Other
// configurations have none.
#pragma once

#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/bandit_trial.h"

namespace sotto::apps {

// What one configuration gave.
struct BanditMeasurement {
  BanditCase configuration;
  BanditFigures figures;  // at least one sample of each
};

[[nodiscard]] FigureTable bandit_time_table(const std::vector<BanditMeasurement>& measurements);
// The step over TLS beside the same step over plain TCP.
[[nodiscard]] FigureTable bandit_tls_table(const std::vector<BanditMeasurement>& measurements);
[[nodiscard]] FigureTable bandit_cost_table(const std::vector<BanditMeasurement>& measurements);
[[nodiscard]] FigureTable bandit_target_table(const std::vector<BanditMeasurement>& measurements);

}  // namespace sotto::apps
