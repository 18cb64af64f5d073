// The costs of each way to make a run's randomness (RandomnessBy). Rounds and bytes are exact.
//
// Seconds are an estimate. The estimate multiplies a number of bytes by the nanoseconds per byte of the mode. With a
// dealer, this number is the dealt bytes. Without a dealer, it is the largest number of bytes that one party sends
// before the steps. The nanoseconds come from measurements on one machine (bench/results/without-dealer.md and
// transfers.md), and the measured times differ from the estimate by at most a quarter. Links add rounds x (delay +
// jitter / 2) + bytes / rate.
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
  Cost online;              // costs of the steps, dealt bytes included
  Cost ahead;               // costs of the randomness made ahead; 0 with a dealer
  double work_seconds = 0;  // estimated seconds of work before the steps
  double link_seconds = 0;
  [[nodiscard]] double seconds() const { return work_seconds + link_seconds; }
};

[[nodiscard]] ModeCosts mode_costs(const BanditPlan& plan, const Ledger& ledger, const net::LinkConditions& link);

[[nodiscard]] double nanoseconds_a_byte(const BanditParameters& parameters);

struct ModeChoice {
  RandomnessBy by;
  std::optional<ModeCosts> costs;  // empty if the run cannot use this mode
  std::string refused{};
};

[[nodiscard]] std::vector<ModeChoice> mode_choices(const BanditSettings& run, const BanditPlan& plan);

[[nodiscard]] FigureTable mode_table(const std::vector<ModeChoice>& choices, const Topology& topology);

}  // namespace sotto::apps::bandit::run
