// ROBIN's aggregator: decides whether a run can work, gets the clients' estimates after each phase with an upload, and
// releases their private mean (apps/robin/aggregate).
//
// Views: the aggregator sees every estimate of every client and is trusted with them. Clients, and anyone who
// reads the broadcasts, see only the releases. The releases are (epsilon, delta) differentially private for everything
// that one client contributes to the run. The number of clients is public.
//
// The aggregator may refuse a run. PrivateRange finds the estimates by the exponential mechanism. The chance that
// PrivateRange misses the estimates grows as clients x epsilon shrinks. If PrivateRange misses, a release may be wrong
// by any amount, and greedy play on such a release never recovers. The chance of a miss is known beforehand:
// misfire_chance() computes it from settings only, without data. If the chances of all releases add up to more than
// most_misfire (1%), the run is refused. With `adaptive`, a run that would be refused is instead played as local LinUCB
// without any release (remark 4.6 of the paper).
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
  double misfire = 0;  // an upper estimate of the chance that some range misses the estimates; at most 1
  // Numbers that would be enough for a federated run, if the run is not federated; empty if no number within the limits
  // is enough.
  std::optional<std::size_t> enough_clients;  // number of clients that is enough with this epsilon
  std::optional<double> enough_epsilon;       // epsilon that is enough with these clients
  std::string why;                            // one line with the reason; empty if the run is federated
};

// Decides whether the run is federated, refused or played locally. Expects resolved() settings.
[[nodiscard]] RobinDecision decide(const RobinSettings& settings);

// The figures of one release, for reports.
struct Release {
  std::size_t phase = 0;    // number of the phase before the release
  std::uint64_t steps = 0;  // number of steps from which each estimate is made
  double tau = 0;
  bool round_last = false;    // true: values were clipped around the last release, without a private range
  double noise_scale = 0;     // scale of the noise's distribution, as in apps/robin/aggregate
  double noise_sd = 0;        // standard deviation of the noise in each coordinate of the release
  double rho = 0;             // rho that the release costs; 0 unless the composition is zcdp
  double epsilon_spent = 0;   // epsilon that the run has spent so far, including this release
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
  // `settings` are resolved(). Throws InputError if the budget cannot be split over the releases.
  RobinAggregator(const RobinSettings& settings, Coins coins);

  [[nodiscard]] const RobinDecision& decision() const { return decision_; }

  // Releases the private mean of the estimates (clients x dimension) of the next phase with an upload. The budget is
  // spent before any noise is drawn. Throws InputError, and spends nothing, if the budget does not suffice. Throws
  // std::invalid_argument for a wrong number of estimates, and if decision() is not federated.
  [[nodiscard]] std::vector<double> release(std::span<const double> estimates);

  [[nodiscard]] const std::vector<Release>& releases() const { return releases_; }
  [[nodiscard]] double epsilon_spent() const { return budget_.epsilon_spent(); }
  [[nodiscard]] double delta_spent() const { return budget_.delta_spent(); }
  // The rho that was spent, from the zCDP account; 0 with another composition.
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
