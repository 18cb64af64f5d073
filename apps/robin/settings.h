// What a ROBIN run is about (Huang et al. 2023, "Federated Linear Contextual Bandits with User-level Differential
// Privacy"): M clients that play alike bandits of K arms in d dimensions, share one theta, and report a local estimate
// of it after each phase to an aggregator that all trust.
//
// All of it is public: nothing may be chosen after looking at what clients keep to themselves. lambda_min, above all,
// is what is known beforehand of how diverse contexts are, not what was measured on these clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/robin/aggregate/aggregate.h"

namespace sotto::apps::robin {

// Where the aggregator looks for the estimates before it averages them: by PrivateRange in every release, or by it in
// the first release alone and round the last released estimate after.
enum class RangeKind : std::uint8_t { private_range, last_release };

struct RobinSettings {
  std::size_t clients = 1000;    // M, 2 at least
  std::size_t dimension = 4;     // d
  std::size_t arms = 5;          // K
  std::uint64_t horizon = 8190;  // T: 2^13 - 2 are 12 whole phases
  std::size_t init_phases = 0;   // U: phases of local LinUCB at first; 0: chosen by chosen_init_phases()
  double epsilon = 1;            // of the whole run, for all that one client does in it
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  NoiseKind noise = NoiseKind::gaussian;
  RangeKind range = RangeKind::private_range;
  bool adaptive = false;       // where the range would misfire: local LinUCB instead of a refusal
  double noise_sd = 1;         // of a reward's noise
  double margin = 0;           // simulated: steps whose best arm leads by less are drawn again
  double diversity = 1;        // simulated, (0, 1]: factor of all features but the first
  double lambda_min = 0;       // least eigenvalue of E[x x'], x of the best arm; 0: known() of it
  double tau_factor = 1.5;     // tau = tau_factor noise_sd / sqrt(lambda_min n)
  double alpha = 1;            // LinUCB: weight of the confidence width
  double ridge = 1;            // LinUCB
  double bound = 1;            // of the norm of theta, and of each feature vector
  double reward_bound = 0;     // of a reward's size; 0: bound^2 + 6 noise_sd
  double most_misfire = 0.01;  // chance that a range misses beyond which a run is refused
  std::uint64_t seed = 1;      // of the simulated instance
};

// What U = 0 becomes: the fewest phases that have 8 d^2 steps or two less (6 at d = 4, 8 at d = 8).
[[nodiscard]] std::size_t chosen_init_phases(std::size_t dimension);

// The settings with U and reward_bound filled in. InputError for what cannot be, naming the flag: fewer than 2 clients,
// epsilon not above 0, delta outside (0, 1), a horizon within the initialisation, and the like. lambda_min is left
// alone: the instance knows it (apps/robin/instance.h).
[[nodiscard]] RobinSettings checked(RobinSettings settings);

// That of the settings, or what it is where that is 0: bound^2 + 6 noise_sd.
[[nodiscard]] double chosen_reward_bound(const RobinSettings& settings);

// Largest numbers that are taken for meant.
inline constexpr std::size_t most_robin_clients = 10'000'000;
inline constexpr std::size_t most_robin_dimension = 256;
inline constexpr std::size_t most_robin_arms = 1024;
inline constexpr std::uint64_t most_robin_horizon = std::uint64_t{1} << 32;

// The words by which flags and reports know the choices: "gaussian", "laplace"; "private", "last".
[[nodiscard]] std::string noise_text(NoiseKind noise);
[[nodiscard]] std::string range_text(RangeKind range);

// InputError that begins with `where`, for anything else.
[[nodiscard]] NoiseKind parse_noise(std::string_view text, const std::string& where);
[[nodiscard]] RangeKind parse_range(std::string_view text, const std::string& where);

// The phases of a ROBIN run: phase p = 1, 2, .. has 2^p steps, the last one what is left of the horizon. The first U
// are local LinUCB, whose statistics are kept across them; the others are greedy on what was released last. Each phase
// from U on but the last one ends with an upload: after phase U of an estimate from all steps so far, later of one from
// the phase alone.
struct Phase {
  std::size_t number = 1;
  std::uint64_t first_step = 0;
  std::uint64_t steps = 2;
  bool local = true;     // LinUCB; else greedy on the broadcast
  bool uploads = false;  // it ends with an upload, which takes a release
  [[nodiscard]] std::uint64_t end() const { return first_step + steps; }
};

// Of checked() settings.
[[nodiscard]] std::vector<Phase> phases_of(const RobinSettings& settings);
// The same phases, all local and none with an upload: remark 4.6, and the local twin.
[[nodiscard]] std::vector<Phase> local_phases_of(const RobinSettings& settings);
[[nodiscard]] std::size_t releases_of(const RobinSettings& settings);

// Steps that the upload of a phase speaks of.
[[nodiscard]] std::uint64_t estimate_steps(const Phase& phase);
// How far estimates lie from theta in any direction, tau_factor standard deviations of it at most: half the width of a
// bin of PrivateRange. settings.lambda_min must be above 0.
[[nodiscard]] double tau_of(const RobinSettings& settings, const Phase& phase);

}  // namespace sotto::apps::robin
