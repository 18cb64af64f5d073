#include "sotto/bench/lab/measure/o3m_runs.h"

#include <algorithm>

#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/o3m/local.h"
#include "sotto/apps/o3m/synthetic_files.h"
#include "sotto/bench/lab/columns.h"
#include "sotto/bench/lab/measure/samples.h"

namespace sotto::apps {
O3mRunFigures measure_o3m_runs(const O3mCase& what, std::uint64_t steps, std::size_t repeats, bool plaintext,
                               const std::atomic<bool>& interrupted) {
  const PrivateFolder folder;
  SyntheticO3m data;
  data.steps = steps;
  data.arms = what.arms;
  data.split = even_columns(what.participants, what.dimension);
  data.output = folder.path();
  O3mOptions options;
  options.files = write_synthetic_o3m(data);
  options.run.algorithm = what.algorithm;
  options.compare_central = true;
  options.run.insecure_plaintext = plaintext;
  const O3mInputs inputs = read_o3m_inputs(options.files);
  const O3mParameters parameters = local_parameters(options, inputs);

  O3mRunFigures figures;
  for (std::size_t run = 0; run < repeats; ++run) {
    const O3mOutcome outcome = launch_local_o3m(local_o3m(options, parameters), {}, interrupted);
    const O3mResult result = assemble_result(options, inputs, parameters, outcome);
    figures.playing_us.push_back(1e6 * result.seconds_per_step.value());
    figures.end_to_end_us.push_back(1e6 * result.end_to_end_seconds_per_step.value());
    figures.twin_us.push_back(1e6 * result.central.value().seconds_per_step);
    figures.arms_equal = figures.arms_equal && result.central->arms_equal;
    figures.received_bytes = result.bytes_per_step.value();
  }
  return figures;
}

FigureTable o3m_run_table(const std::vector<O3mRunMeasurement>& measurements) {
  FigureTable table(
      "runs", "Whole runs, every role a process on loopback",
      columns("algorithm; dimension: d; arms: K; participants; links; steps; runs; "
              "playing_us: a step, prefetched, us; twin_us: central twin, us; times_the_twin: times the twin; "
              "end_to_end_us: with masking and sending, us; received_bytes: received a step, bytes; "
              "arms_equal: arms of the twin"));
  for (const O3mRunMeasurement& m : measurements) {
    const O3mRunFigures& f = m.figures;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < f.playing_us.size(); ++i) {
      ratios.push_back(f.playing_us[i] / f.twin_us[i]);
    }
    table.add({m.what.algorithm == LinearAlgorithm::ucb ? "ucb" : "ts", m.what.dimension, m.what.arms,
               m.what.participants, m.plaintext ? "plain TCP" : "TLS", m.steps, f.playing_us.size(),
               median(f.playing_us), median(f.twin_us), median(ratios), median(f.end_to_end_us), f.received_bytes,
               f.arms_equal});
  }
  table.note(
      "Medians over runs. Prefetched: the active participant plays once it has the masked contexts of all steps, so "
      "that no step waits for a peer. With masking and sending: from the first round to the last step played, all "
      "roles on the cores of this machine at once.");
  return table;
}

}  // namespace sotto::apps
