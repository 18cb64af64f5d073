// The tables of `sotto-lab bench o3m`: times of a step, and which of the targets are met.
//
// Targets, of the active participant's arithmetic with five participants, one thread: at most 20 us a
// step with 100 dimensions and 10 arms, at most 10 ms with 1000 and 100. Others have none.
#pragma once

#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/o3m_trial.h"

namespace sotto::apps {

struct O3mMeasurement {
  O3mCase what;
  O3mFigures figures;  // at least one sample of each
};

[[nodiscard]] FigureTable o3m_time_table(const std::vector<O3mMeasurement>& measurements);
[[nodiscard]] FigureTable o3m_target_table(const std::vector<O3mMeasurement>& measurements);

}  // namespace sotto::apps
