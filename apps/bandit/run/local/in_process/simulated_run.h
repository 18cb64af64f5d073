// A run of the private bandit in this process: all roles play the same program as in processes of their own
// (include/sotto/protocol/simulate/simulate.h), on rows in memory, and rewards are asked of a function. Who has all
// parties' rows can only try things out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/local/in_process/rows_view.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/settings.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::bandit::run {

struct SimulatedRun {
  // Used are steps, arms, epsilon, bits, max_norm (which must be there), binary_rewards, contexts_ahead, update,
  // batch, reward_lag, preprocessing and insecure_seed.
  BanditSettings settings;
  std::vector<RowsView> parts;  // a party; row numbers wrap round
  // What the arm earns in that row: in [-1, 1], and 0 or 1 with binary_rewards. Else InputError, which names the row.
  std::function<double(std::uint64_t row, std::size_t arm)> reward;
  // Whether `reward` may be asked for any arm of any row, and again: then also the plain-text twin plays.
  bool plays_twin = true;
  // Whether it may also be asked for all arms of all rows: then the result says what uniform and best play earn.
  bool knows_all_rewards = false;
  // Called some times a round; ends the run where it throws. May be empty.
  std::function<void()> tick;
};

struct SimulatedBandit {
  BanditResult result;              // costs measured on the frames, equal to the plan's
  std::vector<std::uint32_t> arms;  // that were played, a step each
  std::vector<double> rewards;      // of them
  Cost cost;                        // of the whole run
  Topology topology;                // whose nodes `cost` counts
};

// Throws InputError where rows or settings do not fit; what `reward` and `tick` throw goes on.
[[nodiscard]] SimulatedBandit simulate_bandit(const SimulatedRun& run);

// The plan of such a run over parties of these columns, before there are rows.
[[nodiscard]] BanditPlan plan_of(const BanditSettings& settings, const std::vector<std::size_t>& columns);

// "20ms,100mbit", "20ms", "100mbit" or "20ms,2ms,100mbit": delay, then jitter, and the rate (conditions.h). Throws
// InputError.
[[nodiscard]] net::LinkConditions parse_link(const std::string& text);

}  // namespace sotto::apps::bandit::run
