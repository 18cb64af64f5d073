// Whole O3M runs, every role a process on loopback: the time of a step from end to end, beside the central twin that
// this process plays after each run.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/o3m_trial.h"

namespace sotto::apps {

// Microseconds a step, a sample a run; all lists are equally long.
struct O3mRunFigures {
  std::vector<double> playing_us;     // once the masked contexts are there
  std::vector<double> twin_us;        // the same loop on whole contexts
  std::vector<double> end_to_end_us;  // masking, sending, adding up and playing
  double received_bytes = 0;          // a step, by the active participant
  bool arms_equal = true;             // to the twin's, in all runs
};

// `repeats` runs of `steps` steps on synthetic files. Links are those of TLS, or plain TCP. Errors as of
// launch_local_o3m().
[[nodiscard]] O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats,
                                             bool plaintext, const std::atomic<bool>& interrupted);

struct O3mRunMeasurement {
  O3mCase what;
  std::uint64_t steps = 0;
  bool plaintext = false;
  O3mRunFigures figures;
};

[[nodiscard]] FigureTable o3m_run_table(const std::vector<O3mRunMeasurement>& measurements);

}  // namespace sotto::apps
