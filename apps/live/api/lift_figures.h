// What the service earned over its baseline arm, from the noised counts of windows (order/lift_window.h).
//
// N is the number of counted events. For each level r of rewards, all, best and other are the counts. The weight g of a
// count is 1 / probability. It is 1 / (1 - e + e / A) for `best` and A / e for `other`. Here e is the probability of
// exploring, and A is the number of arms.
//
//     service     S = (1/N) sum r all
//     baseline    B = S + (1/N) sum (r - S) g H      over both kinds H of counts of the baseline arm
//                                                    [Horvitz and Thompson 1952; control variate]
//     lift        S - B
//     half        sqrt(4 m s2 / N + 2.12^2 v)
//
// The variance of the events' own parts of the lift is s2, with margins as in apps/bandit/run/log/estimates.h. The
// variance that the noise gives to the lift is v. The most events of a subject in a window are m. The interval S - B +-
// half holds the lift with a probability of 95%.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/live/order/agreement.h"
#include "apps/live/order/lift_window.h"

namespace sotto::apps::live {

// The terms under which a service counts its lift.
struct LiftBasis {
  std::vector<double> levels{};  // reward levels; empty: no lift
  std::string baseline{};        // name of the baseline arm
  std::size_t arms = 0;          // A
  std::size_t parties = 0;       // number of parties, each of which adds noise
  double exploration = 0;        // e
  AgreementTerms windows{};
};

struct LiftEstimate {
  double events = 0;  // N, with noise
  double service = 0;
  double baseline = 0;
  double lift = 0;
  double half = 0;
};

// The counts are the sums of `windows` windows. With fewer events than the noise explains, all members are 0.
[[nodiscard]] LiftEstimate lift_estimate(const LiftWords& counts, std::uint64_t windows, const LiftBasis& basis);

}  // namespace sotto::apps::live
