// The private bandit against its floor: one configuration, measured as often as asked, the floor
// and the run in turn, over plain TCP and over TLS.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/apps/bandit/local_run.h"
#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/bench/lab/measure/replay.h"
#include "sotto/bench/lab/measure/synthetic.h"

namespace sotto::apps {

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
  // Makes the data. Runs that are dealt ahead keep all that is dealt in memory: they have at most
  // as many steps as fit into most_dealt_bytes. Throws InputError where the configuration leaves
  // the ranges.
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

}  // namespace sotto::apps
