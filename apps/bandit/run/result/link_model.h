// The time that a step should take on links with delay, jitter and a rate, to be compared with the time that it took.
//
//     step = rounds x delay + bytes / rate + jitter + arithmetic
//
// summed along the critical path. A node leaves a round when it has all frames that it waits for. The node then
// computes, and sends its frames of the next round:
//
//     t_j <- max(t_j, max over i that send to j (t_i + delay + jitter_ij + bytes_ij / rate)) + a_j
//
// Frames to several peers go over separate links, each with the whole rate. So for nodes with equal work the time
// without jitter is rounds x delay, plus bytes / rate of the largest frame of each round. a_j is the time of node j's
// own computation in a round, as measured in the run. On one machine, nodes that are ready at the same time share its
// cores, and are served in the order in which they became ready. The model ignores the dealer, which works ahead. It
// also ignores the time that the operating system needs for messages and wake-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::bandit::run {

// The frames of one step of the private bandit, from the planner: the bytes from each node to each other node, round by
// round. In batches, these are the frames that decide and learn a batch of the run's mean size.

struct StepFrames {
  std::size_t parties = 0;
  std::size_t nodes = 0;  // the parties, the actor, and the rewarder if it is a process of its own
  std::vector<std::vector<std::size_t>> rounds;  // each nodes x nodes, [from][to]
  double steps = 1;                              // the number of steps in these frames

  // The size of the frame in bytes, header included; 0 if there is no frame.
  [[nodiscard]] std::size_t bytes(std::size_t round, std::size_t from, std::size_t to) const {
    return rounds[round][from * nodes + to];
  }
  // The bytes that a node sends in one round, and in all rounds.
  [[nodiscard]] std::uint64_t sent(std::size_t round, std::size_t from) const;
  [[nodiscard]] std::uint64_t sent(std::size_t from) const;
  [[nodiscard]] std::uint64_t sent_by_largest_party() const;
};

// A step in the middle of the run that `plan` describes, because the first step starts from constants and sends less.
[[nodiscard]] StepFrames step_frames(const BanditPlan& plan);

// The frames of a refresh in the run that `plan` describes, and the number of steps for which there is one refresh. The
// result has no rounds if the run has no refresh.
[[nodiscard]] StepFrames refresh_frames(const BanditPlan& plan);

// The plan of a bandit over contexts of norm 1 whose columns are split evenly over the parties, with binary rewards.
// Throws InputError if a party would have no column, or the run leaves its ranges.
[[nodiscard]] BanditPlan even_plan(std::size_t parties, std::size_t features, std::size_t arms, std::uint64_t steps,
                                   std::size_t batch = 1, std::uint64_t reward_lag = 0);

// The columns of each party in even_plan(). If the columns do not divide evenly, the first parties have one column
// more.
[[nodiscard]] std::vector<std::size_t> even_columns(std::size_t parties, std::size_t features);

// Seconds per step.
struct LinkModel {
  double delay = 0;     // rounds x delay
  double transfer = 0;  // bytes / rate
  double jitter = 0;    // mean
  double arithmetic = 0;
  double measured = 0;

  // Adds the times of the other model to the times of this model, except the measured time.
  LinkModel& operator+=(const LinkModel& other);
  [[nodiscard]] double total() const { return delay + transfer + jitter + arithmetic; }
  // The error of the model, in percent of the measured time.
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

// A node's seconds per round, for each node of `frames` or for none, and the number of cores for all nodes.
struct Arithmetic {
  std::vector<double> seconds{};
  std::size_t cores = max_nodes;
};

[[nodiscard]] LinkModel model_step(const StepFrames& frames, const net::LinkConditions& conditions,
                                   const Arithmetic& arithmetic = {});

// A step of the run, with its share of a refresh.
[[nodiscard]] LinkModel model_run(const BanditPlan& plan, const net::LinkConditions& conditions,
                                  const Arithmetic& arithmetic = {});

}  // namespace sotto::apps::bandit::run
