// ROBIN's aggregator: decides whether a run can work, gets the clients' estimates after each phase with an upload, and
// releases their private mean (apps/robin/aggregate).
//
// Who sees what: the aggregator sees every estimate of every client and is trusted with them; clients, and whoever
// reads what it broadcasts, see the releases alone, which are (epsilon, delta) differentially private for all that one
// client contributes to the run. The number of clients is public.
//
// It refuses: PrivateRange finds the estimates by the exponential mechanism, which misses them with a chance that grows
// as clients x epsilon shrinks; a range that missed makes a release that is wrong by anything, and greedy play on it
// never recovers. The chance is known beforehand (misfire_chance, of settings alone, no data). Where it adds up to more
// than most_misfire (1%) over the releases, a run is refused or, with `adaptive`, played as local LinUCB without any
// release (remark 4.6 of the paper).
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
  double misfire = 0;  // an upper estimate of the chance that some range misses; 1 at most
  // Where it is not federated: what would do, if anything below the limits does.
  std::optional<std::size_t> enough_clients;  // with this epsilon
  std::optional<double> enough_epsilon;       // with these clients
  std::string why;                            // one line; empty if federated
};

// Of resolved() settings.
[[nodiscard]] RobinDecision decide(const RobinSettings& settings);

// One release, for reports.
struct Release {
  std::size_t phase = 0;    // after which it was made
  std::uint64_t steps = 0;  // that each estimate speaks of
  double tau = 0;
  bool round_last = false;    // clipped round the last release, no private range
  double noise_scale = 0;     // of the noise's distribution, as apps/robin/aggregate has it
  double noise_sd = 0;        // of each coordinate of the release
  double rho = 0;             // that it cost; 0 unless zcdp
  double epsilon_spent = 0;   // of the run so far, this release included
  std::uint64_t clipped = 0;  // estimates that were outside the bound or no numbers: not to be published

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
  // `settings` are resolved(). InputError where the budget cannot be split over the releases.
  RobinAggregator(const RobinSettings& settings, Coins coins);

  [[nodiscard]] const RobinDecision& decision() const { return decision_; }

  // The private mean of clients x dimension estimates of the next phase with an upload. The budget is taken before any
  // noise is drawn; InputError, and nothing is spent, where it does not suffice. std::invalid_argument for another
  // number of estimates, and where decision() is not federated.
  [[nodiscard]] std::vector<double> release(std::span<const double> estimates);

  [[nodiscard]] const std::vector<Release>& releases() const { return releases_; }
  [[nodiscard]] double epsilon_spent() const { return budget_.epsilon_spent(); }
  [[nodiscard]] double delta_spent() const { return budget_.delta_spent(); }
  // Of the zCDP account; 0 with another composition.
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
