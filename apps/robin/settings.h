// The settings of a ROBIN run (Huang et al. 2023, "Federated Linear Contextual Bandits with User-level Differential
// Privacy"). M clients play similar bandits of K arms in d dimensions and share one theta. After each phase with an
// upload, the clients report a local estimate of theta to an aggregator that all clients trust.
//
// All settings are public: none may be chosen after a look at the clients' private data. Above all, lambda_min is prior
// knowledge of the diversity of contexts, not a measurement on these clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/robin/aggregate/aggregate.h"

namespace sotto::apps::robin {

// How the aggregator finds the range of the estimates before it averages them. With private_range, PrivateRange finds
// the range in every release. With last_release, PrivateRange finds the range only in the first release; each later
// release uses the range around the previous release.
enum class RangeKind : std::uint8_t { private_range, last_release };

struct RobinSettings {
  std::size_t clients = 1000;    // M: number of clients, at least 2
  std::size_t dimension = 4;     // d: number of features
  std::size_t arms = 5;          // K: number of arms
  std::uint64_t horizon = 8190;  // T: number of steps; 2^13 - 2 steps are 12 whole phases
  std::size_t init_phases = 0;   // U: phases of local LinUCB at the start; 0: chosen_init_phases()
  double epsilon = 1;            // epsilon of the whole run, for everything that one client does in it
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  NoiseKind noise = NoiseKind::gaussian;
  RangeKind range = RangeKind::private_range;
  bool adaptive = false;       // whether to play local LinUCB if the range would misfire, instead of refusing the run
  double noise_sd = 1;         // standard deviation of a reward's noise
  double margin = 0;           // if simulated: a step whose best arm leads by less than this is drawn again
  double diversity = 1;        // if simulated: factor of all features except the first, in (0, 1]
  double lambda_min = 0;       // smallest eigenvalue of E[x x'], x the best arm's context; 0: resolved() fills it in
  double tau_factor = 1.5;     // tau = tau_factor noise_sd / sqrt(lambda_min n)
  double alpha = 1;            // weight of the confidence width of LinUCB
  double ridge = 1;            // LinUCB
  double bound = 1;            // largest norm of theta and of each feature vector
  double reward_bound = 0;     // largest magnitude of a reward; 0: bound^2 + 6 noise_sd
  double most_misfire = 0.01;  // a run is refused if the chance that a range misses is larger than this
  std::uint64_t seed = 1;      // seed of the simulated instance
};

// The value of U if the settings have 0: the smallest number of phases that together have at least 8 d^2 - 2 steps.
// Examples are 6 phases at d = 4 and 8 phases at d = 8.
[[nodiscard]] std::size_t chosen_init_phases(std::size_t dimension);

// The settings with U and reward_bound filled in. If the settings are impossible, throws InputError that names the
// flag. Examples of impossible settings: fewer than 2 clients, epsilon not above 0, delta outside (0, 1), a horizon
// within the initialisation. The function does not change lambda_min, because only the instance knows lambda_min
// (apps/robin/instance.h).
[[nodiscard]] RobinSettings checked(RobinSettings settings);

// The reward bound of the settings, or bound^2 + 6 noise_sd if the settings have 0.
[[nodiscard]] double chosen_reward_bound(const RobinSettings& settings);

// Limits of the settings; larger numbers are treated as mistakes.
inline constexpr std::size_t most_robin_clients = 10'000'000;
inline constexpr std::size_t most_robin_dimension = 256;
inline constexpr std::size_t most_robin_arms = 1024;
inline constexpr std::uint64_t most_robin_horizon = std::uint64_t{1} << 32;

// The words for the choices in flags and reports: "gaussian", "laplace"; "private", "last".
[[nodiscard]] std::string noise_text(NoiseKind noise);
[[nodiscard]] std::string range_text(RangeKind range);

// Reads a word that noise_text() or range_text() returns. For any other text, throws InputError that begins with
// `where`.
[[nodiscard]] NoiseKind parse_noise(std::string_view text, const std::string& where);
[[nodiscard]] RangeKind parse_range(std::string_view text, const std::string& where);

// The phases of a ROBIN run: phase p = 1, 2, .. has 2^p steps, and the last phase has the remaining steps of the
// horizon. In the first U phases, clients play local LinUCB and keep the statistics from phase to phase. In later
// phases, clients play greedily on the last release. Each phase from U on, except the last phase, ends with an upload.
// The estimate after phase U uses all steps so far; each later estimate uses only the steps of its phase.
struct Phase {
  std::size_t number = 1;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 2;
  bool local = true;     // true: LinUCB; false: greedy on the broadcast
  bool uploads = false;  // the phase ends with an upload, which needs a release
  [[nodiscard]] std::uint64_t end() const { return first_step + steps; }
};

// Expects checked() settings.
[[nodiscard]] std::vector<Phase> phases_of(const RobinSettings& settings);
// The phases of phases_of(), but all phases are local and without uploads: for remark 4.6 of the paper, and for the
// local twin.
[[nodiscard]] std::vector<Phase> local_phases_of(const RobinSettings& settings);
[[nodiscard]] std::size_t releases_of(const RobinSettings& settings);

// The number of steps from which the estimate at the end of a phase is computed.
[[nodiscard]] std::uint64_t estimate_steps(const Phase& phase);
// tau, half the width of a bin of PrivateRange: tau_factor standard deviations of the distance between an estimate and
// theta in any direction. settings.lambda_min must be above 0.
[[nodiscard]] double tau_of(const RobinSettings& settings, const Phase& phase);

}  // namespace sotto::apps::robin
