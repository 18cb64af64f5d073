// What each way to make a run's randomness takes (RandomnessBy), for who has to decide: rounds and bytes exactly, as
// the links will count them, and seconds by a formula.
//
// Seconds     work = bytes that the largest party sends ahead x nanoseconds a byte of the mode; of a dealer the bytes
//             that it deals. What a mode computes goes with what it sends. A byte takes what the records of single
//             steps and of batches have for it (bench/results/without-dealer.md and transfers.md): CPU time of all
//             parties for what they make ahead, on two cores. These records lie within a quarter of the formula. It is
//             an estimate: other shapes of runs were not measured, and another machine is as far off as it is faster or
//             slower. On links with delay and a rate also rounds x (delay + jitter / 2) + bytes / rate.
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
  Cost online;              // of the steps; dealt bytes as well
  Cost ahead;               // what the parties make; nothing with a dealer
  double work_seconds = 0;  // of both kinds: of the parties ahead, or of the dealer
  double link_seconds = 0;  // of what the parties make
  [[nodiscard]] double seconds() const { return work_seconds + link_seconds; }
};

// Of a run whose ledger is planned.
[[nodiscard]] ModeCosts mode_costs(const BanditPlan& plan, const Ledger& ledger, const net::LinkConditions& link);

// Nanoseconds a byte that is sent ahead, or dealt, in a run of these parameters, on a machine of these records.
[[nodiscard]] double nanoseconds_a_byte(const BanditParameters& parameters);

struct ModeChoice {
  RandomnessBy by;
  std::optional<ModeCosts> costs;  // none where the run cannot have it
  std::string refused{};           // then why
};

// All modes of the run, each planned. Throws as plan_bandit where the run itself cannot be planned.
[[nodiscard]] std::vector<ModeChoice> mode_choices(const BanditSettings& run, const BanditPlan& plan);

// A row a mode, "-" where there is none.
[[nodiscard]] FigureTable mode_table(const std::vector<ModeChoice>& choices, const Topology& topology);

}  // namespace sotto::apps::bandit::run
