// The settings of a ROBIN run (Huang et al. 2023, "Federated Linear Contextual Bandits with User-level Differential
// Privacy"). M clients play similar bandits of K arms in d dimensions and share one theta. After each phase with an
// upload, the clients report a local estimate of theta to an aggregator that all clients trust.
//
// All settings are public. Nobody may choose a setting after a look at the clients' private data. For example,
// lambda_min is prior knowledge about the diversity of contexts, and is not measured on these clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/robin/aggregate/aggregate.h"

namespace sotto::apps::robin {

// With private_range, every release finds the range of the estimates by PrivateRange. With last_release, only the first
// release does so, and each later release uses the range around the previous release.
enum class RangeKind : std::uint8_t { private_range, last_release };

struct RobinSettings {
  std::size_t clients = 1000;    // M, number of clients, at least 2
  std::size_t dimension = 4;     // d, number of features
  std::size_t arms = 5;          // K, number of arms
  std::uint64_t horizon = 8190;  // T, number of steps; 2^13 - 2 steps are 12 whole phases
  std::size_t init_phases = 0;   // U, number of local phases at the start; 0: chosen_init_phases()
  double epsilon = 1;            // epsilon of the whole run, for everything that one client contributes
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  NoiseKind noise = NoiseKind::gaussian;
  RangeKind range = RangeKind::private_range;
  bool adaptive = false;  // whether clients play local LinUCB if decide() would refuse the run
  double noise_sd = 1;
  double margin = 0;      // if simulated: a step is drawn again unless its best arm leads by this number
  double diversity = 1;   // if simulated: factor of all features except the first, in (0, 1]
  double lambda_min = 0;  // smallest eigenvalue of E[x x'], with x of the best arm; 0: see resolved()
  double tau_factor = 1.5;
  double alpha = 1;
  double ridge = 1;
  double bound = 1;            // largest norm of theta and of each feature vector
  double reward_bound = 0;     // largest absolute value of a reward; 0: bound^2 + 6 noise_sd
  double most_misfire = 0.01;  // largest accepted probability that a range misses
  std::uint64_t seed = 1;
};

// Returns the smallest number of phases that together have at least 8 d^2 - 2 steps.
[[nodiscard]] std::size_t chosen_init_phases(std::size_t dimension);

// Sets init_phases and reward_bound if they are 0. Throws InputError, which names the flag, if the settings are
// impossible.
[[nodiscard]] RobinSettings checked(RobinSettings settings);

[[nodiscard]] double chosen_reward_bound(const RobinSettings& settings);

inline constexpr std::size_t most_robin_clients = 10'000'000;
inline constexpr std::size_t most_robin_dimension = 256;
inline constexpr std::size_t most_robin_arms = 1024;
inline constexpr std::uint64_t most_robin_horizon = std::uint64_t{1} << 32;

// Returns "gaussian" or "laplace", and "private" or "last".
[[nodiscard]] std::string noise_text(NoiseKind noise);
[[nodiscard]] std::string range_text(RangeKind range);

[[nodiscard]] NoiseKind parse_noise(std::string_view text, const std::string& where);
[[nodiscard]] RangeKind parse_range(std::string_view text, const std::string& where);

// The phases of a ROBIN run: phase p = 1, 2, .. has 2^p steps, and the last phase has the remaining steps of the
// horizon. In the first U phases, clients play local LinUCB and keep the statistics from phase to phase. In later
// phases, clients play greedily on the last release. Each phase from phase U on, except the last phase, ends with an
// upload. The estimate after phase U uses all steps so far. Each later estimate uses only the steps of its phase.
struct Phase {
  std::size_t number = 1;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 2;
  bool local = true;  // true for LinUCB, false for greedy play on the broadcast
  bool uploads = false;
  [[nodiscard]] std::uint64_t end() const { return first_step + steps; }
};

// `settings` must come from checked().
[[nodiscard]] std::vector<Phase> phases_of(const RobinSettings& settings);
// Returns the phases of phases_of(), but local and without uploads.
[[nodiscard]] std::vector<Phase> local_phases_of(const RobinSettings& settings);
[[nodiscard]] std::size_t releases_of(const RobinSettings& settings);

[[nodiscard]] std::uint64_t estimate_steps(const Phase& phase);
// Returns tau, half the width of a bin of PrivateRange. settings.lambda_min must be above 0.
[[nodiscard]] double tau_of(const RobinSettings& settings, const Phase& phase);

}  // namespace sotto::apps::robin
