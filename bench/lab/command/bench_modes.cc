#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/program/option_values.h"
#include "apps/prepare/data/environment.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/lab_commands.h"
#include "bench/lab/measure/mode_trial.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

struct ModesBench {
  std::vector<std::string> modes{"replicated", "helper", "ot"};
  std::vector<std::size_t> batches;  // none: the usual ones of each mode
  std::vector<std::string> updates{"all-arms", "pulled-arm"};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 0;  // 0: by mode and batch
  std::uint64_t repeat = 3;
};

// Some seconds of a run, and a stretch of randomness at least. The first batches of a run are small ones, which cost
// more an event: of large ones there are many.
std::uint64_t usual_steps(const ModeCase& c) {
  const bool by_transfers = c.mode == RandomnessBy::ot;
  if (c.batch == 1) return by_transfers ? 512 : 2048;
  return c.batch * std::max<std::uint64_t>(2, (by_transfers && c.batch <= 256 ? 4096 : 16384) / c.batch);
}

template <class E>
E named(const std::string& word) {
  for (const auto& [value, name] : names_of(E{})) {
    if (name == word) return value;
  }
  throw std::invalid_argument("nothing has that name");
}

std::vector<ModeCase> modes_to_measure(const ModesBench& arguments) {
  std::vector<ModeCase> cases;
  for (const std::string& mode : arguments.modes) {
    ModeCase c{named<RandomnessBy>(mode), arguments.features, arguments.arms};
    std::vector<std::size_t> batches = arguments.batches;
    if (batches.empty())
      batches = c.mode == RandomnessBy::ot ? std::vector<std::size_t>{1, 256, 1024} : std::vector<std::size_t>{1, 256};
    for (const std::size_t batch : batches) {
      c.batch = batch;
      c.steps = arguments.steps > 0 ? arguments.steps : usual_steps(c);
      for (const std::string& update : arguments.updates) {
        c.update = named<StepUpdate>(update);
        cases.push_back(c);
        if (batch > 1) break;
      }
    }
  }
  return cases;
}

// Every configuration once, then every one again: what drifts concerns all alike.
std::vector<ModeMeasurement> measurements_of(const ModesBench& arguments) {
  std::vector<std::unique_ptr<ModeTrial>> trials;
  for (const ModeCase& c : modes_to_measure(arguments)) trials.push_back(std::make_unique<ModeTrial>(c));
  for (std::uint64_t repetition = 0; repetition < arguments.repeat; ++repetition) {
    for (const auto& trial : trials) {
      const ModeCase& c = trial->measurement().configuration;
      show_progress(fmt::format("repetition {} of {}: {}, batches of {}", repetition + 1, arguments.repeat,
                                name_of(c.mode), c.batch));
      trial->measure(interrupted());
    }
  }
  std::vector<ModeMeasurement> measurements;
  measurements.reserve(trials.size());
  for (const auto& trial : trials) measurements.push_back(trial->measurement());
  return measurements;
}

Page measure_modes(const ModesBench& arguments) {
  const std::vector<ModeMeasurement> measurements = measurements_of(arguments);
  Page page{
      "modes",
      "The bandit without a dealer",
      fmt::format("The private bandit on synthetic contexts of norm 1, {}, {}, epsilon 0.1, without a dealer and "
                  "with one for as many parties in the same run; every role a process, plain TCP on loopback; {}.",
                  counted(arguments.features, "feature"), counted(arguments.arms, "arm"),
                  counted(arguments.repeat, "repetition")),
      {},
      {mode_time_table(measurements), mode_byte_table(measurements)}};
  FigureTable targets = mode_target_table(measurements);
  if (targets.rows() > 0) page.tables.push_back(std::move(targets));
  return page;
}

void declare_modes(Command& command, ModesBench& arguments) {
  command
      .add_option("--mode", arguments.modes,
                  "Who makes the randomness: three parties, two with a helper, or two; several in turn")
      ->separated_by(',')
      ->one_of({"replicated", "helper", "ot"})
      ->shows_default();
  command
      .add_option(
          "--batch", arguments.batches,
          "Events that are decided, and learned, at once; several in turn (default: 1 and 256, with ot 1024 too)")
      ->separated_by(',')
      ->number(whole(1, largest_event_batch(1)));
  command.add_option("--update", arguments.updates, "What single steps compute for; both in turn")
      ->separated_by(',')
      ->one_of({"all-arms", "pulled-arm"})
      ->shows_default();
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms", whole(1, 64));
  command
      .add_option("--steps", arguments.steps,
                  "Steps of a run, in batches events (default: 2048, in batches 16384; by transfers 512, in batches of "
                  "256 4096)")
      ->number(whole(1, 1'000'000));
  command.add_option("--repeat", arguments.repeat, "Repetitions of each configuration", whole(1, 1000));
}

}  // namespace

void add_bench_modes(Command& bench) {
  add_measurement<ModesBench>(
      bench, "modes", "Time the private bandit without a dealer, beside one for as many parties",
      "Replicated keys are of three parties, or of two and a helper; oblivious transfers are of two.\n"
      "Examples:\n"
      "  sotto-lab bench modes\n"
      "  sotto-lab bench modes --mode replicated --batch 1 --repeat 10 --json\n"
      "  sotto-lab bench modes --mode ot --batch 1024 --steps 4096\n"
      "  sotto-lab bench modes --out modes.md",
      declare_modes, measure_modes);
}

}  // namespace sotto::apps::lab
