// ROBIN's aggregator decides whether a run can work. After each phase with an upload, it releases the private mean of
// the clients' estimates.
//
// Views: the aggregator sees every estimate of every client, and the clients trust it. Clients, and anyone who reads
// the broadcasts, see only the releases. The releases are (epsilon, delta) differentially private for everything that
// one client contributes to the run.
//
// The aggregator may refuse a run. If clients x epsilon is small, PrivateRange often misses the estimates. After a
// miss, a release may be wrong by any amount, and greedy play on such a release never recovers. The aggregator computes
// the probability of a miss from the settings only (misfire_chance()). If the probabilities of all releases add up to
// more than most_misfire, the aggregator refuses the run. With `adaptive`, the clients instead play local LinUCB
// without any release (Huang et al. 2023, remark 4.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/kit/dp/samplers.h"
#include "apps/robin/aggregate/aggregate.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

enum class RobinMode : std::uint8_t { federated, refused, local };
constexpr auto names_of(RobinMode) {
  return std::array{std::pair{RobinMode::federated, "federated"}, std::pair{RobinMode::refused, "refused"},
                    std::pair{RobinMode::local, "local"}};
}

struct RobinDecision {
  RobinMode mode = RobinMode::federated;
  double misfire = 0;
  // For a run that is not federated: numbers that would be enough for a federated run. Empty if no number within the
  // limits is enough.
  std::optional<std::size_t> enough_clients;  // with the epsilon of the settings
  std::optional<double> enough_epsilon;       // with the clients of the settings
  std::string why;                            // empty if the run is federated
};

// `settings` must come from resolved().
[[nodiscard]] RobinDecision decide(const RobinSettings& settings);

struct Release {
  std::size_t phase = 0;
  std::uint64_t steps = 0;
  double tau = 0;
  bool round_last = false;  // whether values were clipped around the last release, without a private range
  double noise_scale = 0;
  double noise_sd = 0;
  double rho = 0;  // 0 unless the composition is zcdp
  double epsilon_spent = 0;
  std::uint64_t clipped = 0;  // number of estimates outside the bound or with NaN; must not be published

  static void describe(auto& self, auto&& field) {
    field("phase", self.phase);
    field("steps", self.steps);
    field("tau", self.tau);
    field("round_last", self.round_last);
    field("noise_scale", self.noise_scale);
    field("noise_sd", self.noise_sd);
    field("rho", self.rho);
    field("eps_spent", self.epsilon_spent);
    field("clipped", self.clipped);
  }
};

class RobinAggregator {
 public:
  // `settings` must come from resolved(). Throws InputError if the budget cannot be split over the releases.
  RobinAggregator(const RobinSettings& settings, Coins coins);

  [[nodiscard]] const RobinDecision& decision() const { return decision_; }

  // Releases the private mean of the estimates (clients x dimension) of the next phase with an upload. This function
  // spends the budget before it draws any noise. Throws InputError, and spends nothing, if the budget is not enough.
  // Throws std::invalid_argument for a wrong number of estimates, and if decision() is not federated.
  [[nodiscard]] std::vector<double> release(std::span<const double> estimates);

  [[nodiscard]] const std::vector<Release>& releases() const { return releases_; }
  [[nodiscard]] double epsilon_spent() const { return budget_.epsilon_spent(); }
  [[nodiscard]] double delta_spent() const { return budget_.delta_spent(); }
  [[nodiscard]] double rho_spent() const { return budget_.rho_spent(); }

 private:
  RobinSettings settings_;
  RobinDecision decision_;
  Coins coins_;
  Budget budget_;
  std::vector<Phase> uploads_;
  std::optional<std::vector<double>> last_;
  std::vector<Release> releases_;
};

}  // namespace sotto::apps::robin
