// The private bandit against its floor: one configuration, measured as often as asked, the floor and the run in turn,
// over plain TCP and over TLS.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/options.h"
#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/replay.h"

namespace sotto::apps {

// Made-up data for runs whose speed is measured: contexts of norm 1, a best arm for each. The same on every machine.
struct SyntheticData {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t arms = 0;
  std::vector<double> contexts;       // rows x features, each row of norm 1
  std::vector<std::uint32_t> labels;  // a row's best arm: it earns 1, all others 0

  [[nodiscard]] std::span<const double> context(std::size_t row) const {
    return std::span(contexts).subspan(row * features, features);
  }
};

// Uniform directions; each arm has a direction of its own, and the arm nearest to the context is its label.
[[nodiscard]] SyntheticData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed);

// Writes a file for each party, whose columns are split as even_columns() says, and the environment, and returns the
// arguments of `sotto bandit` on them: --max-norm 1, all else as by default. Throws ResourceError.
[[nodiscard]] BanditOptions write_data(const SyntheticData& data, std::size_t parties,
                                       const std::filesystem::path& folder);

struct BanditCase {
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 3000;
  bool streaming = false;  // correlations come as the run needs them, instead of ahead of it
};

// One sample each time; microseconds a step.
struct BanditFigures {
  std::vector<double> floor_us;
  // Dealt ahead: the steps alone. Streaming: all roles together, waiting for the dealer included.
  std::vector<double> step_us;
  // The same over TLS; all other figures are of links of plain TCP on loopback.
  std::vector<double> tls_step_us;
  std::vector<double> tls_floor_us;
  std::vector<double> dealer_cpu_us;
  std::vector<double> twin_us;     // the plain-text twin, in this process
  double rounds = 0;               // a step
  std::uint64_t sent_bytes = 0;    // a step, by the largest party
  std::uint64_t dealt_bytes = 0;   // a step, to the last party
  std::uint64_t memory_bytes = 0;  // of the largest role, at the worst moment
};

class BanditTrial {
 public:
  // Makes the data. Runs that are dealt ahead keep all that is dealt in memory: they have at most as many steps as fit
  // into most_dealt_bytes. Throws InputError where the configuration leaves the ranges.
  explicit BanditTrial(const BanditCase& wanted);

  // With the steps that fit.
  [[nodiscard]] const BanditCase& configuration() const noexcept { return case_; }
  [[nodiscard]] const BanditFigures& figures() const noexcept { return figures_; }

  // Takes one sample of each. Errors as of run_processes() and launch_local_run().
  void measure(const std::atomic<bool>& interrupted);

  static constexpr std::uint64_t most_dealt_bytes = 256'000'000;

 private:
  [[nodiscard]] double floor_us(Carrier carrier, const std::atomic<bool>& interrupted) const;
  void measure_run(Carrier carrier, const std::atomic<bool>& interrupted);
  void measure_twin();

  BanditCase case_;
  SyntheticData data_;
  PrivateFolder folder_;
  BanditOptions options_;
  LocalInputs inputs_;
  StepFrames frames_;
  BanditFigures figures_;
};

// The tables of `sotto-lab bench bandit`: times and costs of each configuration, what TLS adds, and which of the
// targets are met.
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

[[nodiscard]] FigureTable bandit_time_table(const std::vector<BanditMeasurement>& measurements);
// The step over TLS beside the same step over plain TCP.
[[nodiscard]] FigureTable bandit_tls_table(const std::vector<BanditMeasurement>& measurements);
[[nodiscard]] FigureTable bandit_cost_table(const std::vector<BanditMeasurement>& measurements);
[[nodiscard]] FigureTable bandit_target_table(const std::vector<BanditMeasurement>& measurements);

}  // namespace sotto::apps
