// The costs of each way to make a run's randomness (RandomnessBy), to help choose one. Rounds and bytes are exact, as
// the links will count them. Seconds follow from a formula.
//
// Seconds     work = bytes that the largest party sends ahead x nanoseconds per byte of the mode. With a dealer, the
//             bytes are those that the dealer deals. The computation of a mode grows in proportion to the bytes that
//             are sent. The nanoseconds per byte come from the records of single steps and of batches
//             (bench/results/without-dealer.md and transfers.md). The records measured the CPU time of all parties for
//             the randomness that they make ahead, on two cores. The measured times differ from the formula by at most
//             a quarter. The formula is an estimate: other shapes of runs were not measured, and on another machine it
//             is off by as much as that machine is faster or slower. Links with delay and a rate add rounds x (delay +
//             jitter / 2) + bytes / rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/report/table.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::bandit::run {

struct ModeCosts {
  Cost online;              // cost of the steps, dealt bytes included
  Cost ahead;               // cost of the randomness that the parties make; nothing with a dealer
  double work_seconds = 0;  // work of the parties before the steps, or of the dealer
  double link_seconds = 0;  // time of the messages that make the parties' randomness
  [[nodiscard]] double seconds() const { return work_seconds + link_seconds; }
};

// The costs of a run whose ledger is planned.
[[nodiscard]] ModeCosts mode_costs(const BanditPlan& plan, const Ledger& ledger, const net::LinkConditions& link);

// The nanoseconds of work per byte that is sent ahead, or dealt, in a run of these parameters, on the machine of the
// records above.
[[nodiscard]] double nanoseconds_a_byte(const BanditParameters& parameters);

struct ModeChoice {
  RandomnessBy by;
  std::optional<ModeCosts> costs;  // none if the run cannot use the mode
  std::string refused{};           // the reason why the run cannot use the mode
};

// The costs of the run in each mode. Throws as plan_bandit if the run itself cannot be planned.
[[nodiscard]] std::vector<ModeChoice> mode_choices(const BanditSettings& run, const BanditPlan& plan);

// One row per mode, with "-" where there is no value.
[[nodiscard]] FigureTable mode_table(const std::vector<ModeChoice>& choices, const Topology& topology);

}  // namespace sotto::apps::bandit::run
