// The private bandit compared with its floor (floor.h). If the bandit runs in batches, "step" means one event.
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
  bool streaming = false;
  std::size_t batch = 1;
  std::uint64_t reward_lag = 0;

  [[nodiscard]] bool in_batches() const { return batch > 1 || reward_lag > 0; }
};

// Each list has one sample for each measurement, in microseconds for a step.
struct LinkFigures {
  // With streamed randomness, the time includes the wait for the dealer. With randomness dealt ahead, the time includes
  // no dealing.
  std::vector<double> step_us;
  std::vector<double> floor_us;
  // The next two members are only for batches: the slowest party's time to decide, and the time that the messages for a
  // decision take by themselves.
  std::vector<double> decide_us;
  std::vector<double> decide_floor_us;
};
struct BanditFigures {
  LinkFigures tcp;
  LinkFigures tls;
  std::vector<double> dealer_cpu_us;
  std::vector<double> twin_us;  // in this process
  // The roles' computing time without messages, in this process. Empty for batches.
  std::vector<double> computing_us;
  double rounds = 0;               // for each step
  std::uint64_t sent_bytes = 0;    // by the largest party, for each step
  std::uint64_t dealt_bytes = 0;   // to the last party, for each step
  std::uint64_t memory_bytes = 0;  // peak memory of the largest role
};

class BanditTrial {
 public:
  // If randomness is dealt ahead, the steps are limited by most_dealt_bytes. The number of steps in batches is rounded
  // down to a multiple of the batch size, but not to 0.
  explicit BanditTrial(const BanditCase& wanted);

  [[nodiscard]] const BanditCase& configuration() const noexcept { return case_; }
  [[nodiscard]] const BanditFigures& figures() const noexcept { return figures_; }

  void measure(const std::atomic<bool>& interrupted);

  static constexpr std::uint64_t most_dealt_bytes = 256'000'000;

 private:
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
  bandit::run::StepFrames decide_frames_;
  BanditFigures figures_;
};

struct BanditMeasurement {
  BanditCase configuration;
  BanditFigures figures;
};

[[nodiscard]] std::vector<FigureTable> bandit_tables(const std::vector<BanditMeasurement>& measurements);

// The computing time of the roles for a step, without messages. All roles run in this thread, on frames in memory, so
// that each role has the whole core and its caches and waits for no other role.

// Microseconds for a step, including refreshes.
struct StepComputing {
  double parties_us = 0;  // sum over the rounds of the slowest party's time; the other parties wait for this party
  double dealer_us = 0;
  double actor_us = 0;
};

// `plan` must have a dealer and at least `steps` single steps.
[[nodiscard]] StepComputing measure_computing(bandit::BanditPlan plan, const LabelledData& data, std::uint64_t steps);

}  // namespace sotto::apps::lab
