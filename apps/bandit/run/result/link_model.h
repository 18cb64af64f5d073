// The time that a step should take on links with delay, jitter and a rate:
//
//     step = rounds x delay + bytes / rate + jitter + arithmetic
//
// summed along the critical path. A node ends a round when it has received all frames of the round that it needs. The
// node then computes, and sends its frames of the next round. t_j is the time at which node j sends:
//
//     t_j <- max(t_j, max over i that send to j (t_i + delay + jitter_ij + bytes_ij / rate)) + a_j
//
// Frames to several peers go over separate links, each with the whole rate. a_j is the time of node j's own computation
// in a round, as measured in the run. The model ignores the dealer, which works ahead, and the time that the operating
// system needs for messages and wake-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::bandit::run {

// The frames of one step: bytes from each node to each other node, round by round. For a run in batches, these are the
// frames of a batch of the mean size.

struct StepFrames {
  std::size_t parties = 0;
  std::size_t nodes = 0;                         // number of nodes without the dealer
  std::vector<std::vector<std::size_t>> rounds;  // bytes of each round, by [from][to]
  double steps = 1;                              // number of steps in these rounds

  [[nodiscard]] std::size_t bytes(std::size_t round, std::size_t from, std::size_t to) const {
    return rounds[round][from * nodes + to];
  }
  [[nodiscard]] std::uint64_t sent(std::size_t round, std::size_t from) const;
  [[nodiscard]] std::uint64_t sent(std::size_t from) const;
  [[nodiscard]] std::uint64_t sent_by_largest_party() const;
};

// Returns the frames of a step in the middle of a run, because the first step starts from constants and sends less.
[[nodiscard]] StepFrames step_frames(const BanditPlan& plan);

[[nodiscard]] StepFrames refresh_frames(const BanditPlan& plan);

// Returns the plan of a run with evenly split columns, contexts of norm 1 and binary rewards. Throws InputError if a
// party would have no column, or if a value could leave its range.
[[nodiscard]] BanditPlan even_plan(std::size_t parties, std::size_t features, std::size_t arms, std::uint64_t steps,
                                   std::size_t batch = 1, std::uint64_t reward_lag = 0);

[[nodiscard]] std::vector<std::size_t> even_columns(std::size_t parties, std::size_t features);

// The parts of the time of a step, in seconds.
struct LinkModel {
  double delay = 0;     // rounds x delay
  double transfer = 0;  // bytes / rate
  double jitter = 0;    // mean time from jitter
  double arithmetic = 0;
  double measured = 0;

  LinkModel& operator+=(const LinkModel& other);
  [[nodiscard]] double total() const { return delay + transfer + jitter + arithmetic; }
  // The error of the model, in percent of `measured`.
  [[nodiscard]] double error_percent() const { return 100 * (total() / measured - 1); }

  static void describe(auto& self, auto&& field) {
    field("delay_seconds_per_step", self.delay);
    field("transfer_seconds_per_step", self.transfer);
    field("jitter_seconds_per_step", self.jitter);
    field("arithmetic_seconds_per_step", self.arithmetic);
    field("measured_seconds_per_step", self.measured);
    field.derived("seconds_per_step", self.total());
    field.derived("error_percent", self.error_percent());
  }
};

// The computing time of each node, in seconds per round. All nodes share the cores.
struct Arithmetic {
  std::vector<double> seconds{};
  std::size_t cores = max_nodes;
};

[[nodiscard]] LinkModel model_step(const StepFrames& frames, const net::LinkConditions& conditions,
                                   const Arithmetic& arithmetic = {});

[[nodiscard]] LinkModel model_run(const BanditPlan& plan, const net::LinkConditions& conditions,
                                  const Arithmetic& arithmetic = {});

}  // namespace sotto::apps::bandit::run
