// A whole ROBIN run in one process, and its two twins. In the local twin, each client plays alone (local LinUCB for all
// steps). In the non-private twin, the mean of the clients' estimates has no noise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/robin/aggregator.h"
#include "apps/robin/client_pool.h"
#include "apps/robin/instance.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

struct PhaseFigures {
  std::size_t phase = 0;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 0;
  bool local = true;
  double regret = 0;
  double reward = 0;
  std::optional<double> estimate_error;  // norm of broadcast - theta in a greedy phase; empty if theta is unknown

  static void describe(auto& self, auto&& field) {
    field("phase", self.phase);
    field("first_step", self.first_step);
    field("steps", self.steps);
    field("local", self.local);
    field("regret", self.regret);
    field("reward", self.reward);
    field("estimate_error", self.estimate_error);
  }
};

struct ClippedCounts {
  std::uint64_t rewards = 0;
  std::uint64_t features = 0;
  std::uint64_t estimates = 0;

  static void describe(auto& self, auto&& field) {
    field("features", self.features);
    field("rewards", self.rewards);
    field("estimates", self.estimates);
  }
};

struct RobinOutcome {
  RobinSettings settings;  // as resolved() returns them
  RobinDecision decision;
  std::optional<double> regret_per_client;  // empty if the run was refused
  std::optional<double> reward_per_client;
  std::vector<PhaseFigures> phases;
  std::vector<Release> releases;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  ClippedCounts clipped;
  std::size_t twin_clients = 0;
  std::optional<double> regret_local;
  std::optional<double> regret_nonprivate;
  std::vector<PhaseFigures> local_phases;
  std::vector<PhaseFigures> nonprivate_phases;

  void add_phase(const Phase& phase, const PhaseReport& report, std::span<const double> broadcast,
                 std::span<const double> theta);
  void add_aggregator(const RobinAggregator& aggregator);
};

struct RobinPlayOptions {
  std::size_t threads = 1;
  bool twins = true;
  std::size_t most_twin_clients = 2000;
};

// Called with the number of steps played so far and the total number, both over all clients and twins.
using RobinProgress = std::function<void(std::uint64_t, std::uint64_t)>;

// `settings` must come from resolved(). If decide() refuses the run, this function plays nothing and spends nothing.
// Throws Interrupted.
[[nodiscard]] RobinOutcome play_robin(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance,
                                      Coins coins, const RobinPlayOptions& options, const RobinProgress& progress,
                                      const std::atomic<bool>& interrupted);

// Plays a twin of the first `clients` clients: local LinUCB, or ROBIN with the plain mean instead of a private release.
[[nodiscard]] std::vector<PhaseFigures> play_twin(const RobinSettings& settings,
                                                  std::shared_ptr<const RobinInstance> instance, bool local,
                                                  std::size_t clients, std::size_t threads,
                                                  const std::atomic<bool>& interrupted);

[[nodiscard]] double total_regret(std::span<const PhaseFigures> phases);

void add_twins(RobinOutcome& outcome, std::shared_ptr<const RobinInstance> instance, const RobinPlayOptions& options,
               const RobinProgress& progress, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
