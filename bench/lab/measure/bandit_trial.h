// The private bandit against its floor: one configuration, measured as often as asked, the floor and the run in turn,
// over plain TCP and over TLS. In batches a step is an event.
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
  bool streaming = false;  // correlations come as the run needs them, instead of ahead of it
  std::size_t batch = 1;   // events that are decided, and learned, at once
  std::uint64_t reward_lag = 0;

  [[nodiscard]] bool in_batches() const { return batch > 1 || reward_lag > 0; }
};

// One sample each time; microseconds a step.
struct LinkFigures {
  // Dealt ahead: the steps alone. Streaming: all roles together, waiting for the dealer included.
  std::vector<double> step_us;
  std::vector<double> floor_us;
  // In batches: deciding alone, at the slowest party, and its messages alone.
  std::vector<double> decide_us;
  std::vector<double> decide_floor_us;
};
struct BanditFigures {
  LinkFigures tcp;  // plain TCP on loopback, as all other figures
  LinkFigures tls;
  std::vector<double> dealer_cpu_us;
  std::vector<double> twin_us;  // the plain-text twin, in this process
  // What the parties compute, in this process and without messages; empty in batches.
  std::vector<double> computing_us;
  double rounds = 0;               // a step
  std::uint64_t sent_bytes = 0;    // a step, by the largest party
  std::uint64_t dealt_bytes = 0;   // a step, to the last party
  std::uint64_t memory_bytes = 0;  // of the largest role, at the worst moment
};

class BanditTrial {
 public:
  // Makes the data. Runs that are dealt ahead keep all that is dealt in memory: they have at most as many steps as fit
  // into most_dealt_bytes. In batches the steps are whole batches, one at least. Throws InputError where the
  // configuration leaves the ranges.
  explicit BanditTrial(const BanditCase& wanted);

  // With the steps that fit.
  [[nodiscard]] const BanditCase& configuration() const noexcept { return case_; }
  [[nodiscard]] const BanditFigures& figures() const noexcept { return figures_; }

  // Takes one sample of each. Errors as of run_processes() and launch_local_run().
  void measure(const std::atomic<bool>& interrupted);

  static constexpr std::uint64_t most_dealt_bytes = 256'000'000;

 private:
  // Of the messages of `frames`, a step; nothing where they have no round.
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
  bandit::run::StepFrames decide_frames_;  // in batches: of the rounds that decide
  BanditFigures figures_;
};

// The tables of `sotto-lab bench bandit`: times and costs of each configuration, what TLS adds, events in batches, the
// quotients that say what sotto adds, and which of the targets are met.
//
// Targets, of a step with 20 features and 10 arms: dealt ahead, at most 2.0, 1.6 and 1.3 times the floor for 2, 3 and 8
// parties; and for two parties at most 80 KB dealt, 30 KB sent by a party and 100 us of the dealer's CPU; all streaming
// together at most 200 us; 40 arms at most 3 times, 100 arms at most 10 times the time of 10 arms in the same
// measurement. Other configurations have none.

// What one configuration gave.
struct BanditMeasurement {
  BanditCase configuration;
  BanditFigures figures;  // at least one sample of each
};

// The tables of `sotto-lab bench bandit`, as far as they have rows: times, tls and costs of single steps; events of
// runs in batches, over plain TCP and over TLS; ratios of what is to be compared, as far as both were measured;
// targets.
[[nodiscard]] std::vector<FigureTable> bandit_tables(const std::vector<BanditMeasurement>& measurements);

// What the roles of a bandit compute in a step, without a message: all roles in this thread, on frames in memory, so
// that each has the whole core and its caches, and waits for nobody.

// Microseconds a step, refreshes included.
struct StepComputing {
  double parties_us = 0;  // of each round what the slowest party takes, added up: the others wait for it
  double dealer_us = 0;
  double actor_us = 0;
};

// Plays `steps` steps after a few that are not counted. `plan` is of single steps of at least as many, by a dealer.
[[nodiscard]] StepComputing measure_computing(bandit::BanditPlan plan, const LabelledData& data, std::uint64_t steps);

}  // namespace sotto::apps::lab
