// A whole ROBIN run in one process, and its two twins. In the local twin, each client of the run plays on its own
// (local LinUCB for all steps). In the non-private twin, the clients' estimates are averaged without privacy.
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

// Figures of one phase, averaged over clients.
struct PhaseFigures {
  std::size_t phase = 0;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 0;
  bool local = true;
  double regret = 0;
  double reward = 0;
  std::optional<double> estimate_error;  // |broadcast - theta| of a greedy phase; empty if theta is unknown

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
  RobinSettings settings;  // resolved()
  RobinDecision decision;
  std::optional<double> regret_per_client;  // empty if the run was refused
  std::optional<double> reward_per_client;  // sum over the steps
  std::vector<PhaseFigures> phases;
  std::vector<Release> releases;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  ClippedCounts clipped;
  // Figures of the first twin_clients clients.
  std::size_t twin_clients = 0;
  std::optional<double> regret_local;
  std::optional<double> regret_nonprivate;
  std::vector<PhaseFigures> local_phases;
  std::vector<PhaseFigures> nonprivate_phases;

  // Adds a phase that was played. `report` has the results of all clients; `theta` is empty if it is unknown.
  void add_phase(const Phase& phase, const PhaseReport& report, std::span<const double> broadcast,
                 std::span<const double> theta);
  // Adds the decision, the releases and the spent budget.
  void add_aggregator(const RobinAggregator& aggregator);
};

struct RobinPlayOptions {
  std::size_t threads = 1;
  bool twins = true;
  std::size_t most_twin_clients = 2000;
};

// Receives the number of steps played so far and the total number of steps, both over all clients and twins.
using RobinProgress = std::function<void(std::uint64_t, std::uint64_t)>;

// `settings` are resolved(). A run that decide() refuses is not played and spends nothing; its outcome has the reason.
// Throws Interrupted.
[[nodiscard]] RobinOutcome play_robin(const RobinSettings& settings, std::shared_ptr<const RobinInstance> instance,
                                      Coins coins, const RobinPlayOptions& options, const RobinProgress& progress,
                                      const std::atomic<bool>& interrupted);

// Plays a twin of the first `clients` clients: either local LinUCB for all steps, or the phases of ROBIN with the plain
// mean in place of a release.
[[nodiscard]] std::vector<PhaseFigures> play_twin(const RobinSettings& settings,
                                                  std::shared_ptr<const RobinInstance> instance, bool local,
                                                  std::size_t clients, std::size_t threads,
                                                  const std::atomic<bool>& interrupted);

// The total regret over the phases.
[[nodiscard]] double total_regret(std::span<const PhaseFigures> phases);

// Adds only the twins to an outcome, for runs that several processes played.
void add_twins(RobinOutcome& outcome, std::shared_ptr<const RobinInstance> instance, const RobinPlayOptions& options,
               const RobinProgress& progress, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
