#include "sotto/bench/lab/measure/o3m_trial.h"

#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/o3m/local.h"
#include "sotto/apps/o3m/synthetic_files.h"

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

}  // namespace sotto::apps
