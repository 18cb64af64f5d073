// The private bandit compared with its floor (floor.h): one configuration over plain TCP and over TLS. The floor and
// the run are measured in turn, as often as requested. If the bandit runs in batches, "step" means one event.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/local/local.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/report/table.h"
#include "bench/lab/measure/floor.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

struct BanditCase {
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 3000;
  bool streaming = false;  // true: correlations are dealt during the run instead of before it
  std::size_t batch = 1;   // the number of events that are decided, and learned, at once
  std::uint64_t reward_lag = 0;

  [[nodiscard]] bool in_batches() const { return batch > 1 || reward_lag > 0; }
};

// Each list has one sample for each measurement, in microseconds for a step.
struct LinkFigures {
  // If randomness is dealt ahead, the time of the steps without the dealing. If randomness is streamed, the time of all
  // roles together, including the wait for the dealer.
  std::vector<double> step_us;
  std::vector<double> floor_us;
  // If the bandit runs in batches: the time that the slowest party needs to decide, and the time that the messages of
  // deciding take by themselves.
  std::vector<double> decide_us;
  std::vector<double> decide_floor_us;
};
struct BanditFigures {
  LinkFigures tcp;  // over plain TCP on loopback, like all figures except `tls`
  LinkFigures tls;
  std::vector<double> dealer_cpu_us;
  std::vector<double> twin_us;  // the plain-text twin, in this process
  // The computing time of the parties, in this process and without messages; empty if the bandit runs in batches.
  std::vector<double> computing_us;
  double rounds = 0;               // number of rounds for each step
  std::uint64_t sent_bytes = 0;    // bytes that the largest party sends for each step
  std::uint64_t dealt_bytes = 0;   // bytes dealt to the last party for each step
  std::uint64_t memory_bytes = 0;  // peak memory of the largest role
};

class BanditTrial {
 public:
  // Makes the data. If randomness is dealt ahead, a run has all its dealt randomness in memory. Such a run therefore
  // has at most as many steps as fit into most_dealt_bytes. If the bandit runs in batches, the number of steps is
  // rounded down to whole batches, but at least one batch. Throws InputError if a number of the configuration is
  // outside its range.
  explicit BanditTrial(const BanditCase& wanted);

  // The configuration, with the number of steps that fit.
  [[nodiscard]] const BanditCase& configuration() const noexcept { return case_; }
  [[nodiscard]] const BanditFigures& figures() const noexcept { return figures_; }

  // Takes one sample of each figure. Throws the errors of run_processes() and launch_local_run().
  void measure(const std::atomic<bool>& interrupted);

  static constexpr std::uint64_t most_dealt_bytes = 256'000'000;

 private:
  // Measures how long the messages in `frames` take by themselves; does nothing if there is no round.
  void measure_floor(const bandit::run::StepFrames& frames, Carrier carrier, std::vector<double>& samples,
                     const std::atomic<bool>& interrupted) const;
  void measure_link(Carrier carrier, LinkFigures& figures, const std::atomic<bool>& interrupted);
  void measure_run(Carrier carrier, LinkFigures& figures, const std::atomic<bool>& interrupted);
  void measure_twin();

  BanditCase case_;
  LabelledData data_;
  PrivateFolder folder_;
  bandit::run::BanditOptions options_;
  bandit::run::LocalInputs inputs_;
  bandit::BanditPlan plan_;
  bandit::run::StepFrames frames_;
  bandit::run::StepFrames decide_frames_;  // if the bandit runs in batches: frames of the rounds that decide a batch
  BanditFigures figures_;
};

// The tables of `sotto-lab bench bandit`: times and costs of each configuration, the extra time of TLS, and events in
// batches. Further tables have ratios that show what sotto adds, and the targets with the results.
//
// The targets are for a step with 20 features and 10 arms. If randomness is dealt ahead, a step takes at most 2.0 times
// the floor with 2 parties, 1.6 times with 3 parties, and 1.3 times with 8 parties. For each step of two parties, the
// dealer deals at most 80 KB and needs at most 100 us of CPU, and a party sends at most 30 KB. If randomness is
// streamed, a step with two parties takes at most 200 us for all roles together. In the same measurement, a step with
// 40 arms takes at most 3 times as long as a step with 10 arms. A step with 100 arms takes at most 10 times as long as
// a step with 10 arms. Other configurations have no target.

// The result of one configuration.
struct BanditMeasurement {
  BanditCase configuration;
  BanditFigures figures;  // at least one sample of each figure
};

// Those tables of `sotto-lab bench bandit` that have rows. Single steps have the tables "times", "tls" and "costs".
// Runs in batches have the table "events", over plain TCP and over TLS. The table "ratios" has the ratios of comparable
// figures if both were measured. The last table is "targets".
[[nodiscard]] std::vector<FigureTable> bandit_tables(const std::vector<BanditMeasurement>& measurements);

// The computing time of the roles of a bandit for a step, without messages. All roles run in this thread, on frames in
// memory, so that each role has the whole core and its caches and waits for no other role.

// Microseconds for a step, including refreshes.
struct StepComputing {
  double parties_us = 0;  // sum over the rounds of the slowest party's time; the other parties wait for this party
  double dealer_us = 0;
  double actor_us = 0;
};

// Plays `steps` steps after a few steps that are not counted. `plan` must have a dealer and at least `steps` single
// steps.
[[nodiscard]] StepComputing measure_computing(bandit::BanditPlan plan, const LabelledData& data, std::uint64_t steps);

}  // namespace sotto::apps::lab
