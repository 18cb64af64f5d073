// The frames of one step of the private bandit, from the planner: which node sends how much to which, round by round.
// In batches they are those of a batch, which is decided and learned: of the run's mean size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit::run {

struct StepFrames {
  std::size_t parties = 0;
  std::size_t nodes = 0;  // the parties, the actor, and the rewarder if it is a process of its own
  std::vector<std::vector<std::size_t>> rounds;  // each nodes x nodes, [from][to]
  double steps = 1;                              // that these frames are of

  // Bytes of the frame, header included; 0 where none flows.
  [[nodiscard]] std::size_t bytes(std::size_t round, std::size_t from, std::size_t to) const {
    return rounds[round][from * nodes + to];
  }
  // Bytes that a node sends in a round, and in all of them.
  [[nodiscard]] std::uint64_t sent(std::size_t round, std::size_t from) const;
  [[nodiscard]] std::uint64_t sent(std::size_t from) const;
  [[nodiscard]] std::uint64_t sent_by_largest_party() const;
};

// A step in the middle of the run that `plan` describes: the first one starts from constants and sends less.
[[nodiscard]] StepFrames step_frames(const BanditPlan& plan);

// A refresh of that run, and the steps for which there is one; no rounds where it has none.
[[nodiscard]] StepFrames refresh_frames(const BanditPlan& plan);

// The plan of a bandit over contexts of norm 1 whose columns are split evenly over the parties, with binary rewards.
// Throws InputError where a party would have no column, or the run leaves its ranges.
[[nodiscard]] BanditPlan even_plan(std::size_t parties, std::size_t features, std::size_t arms, std::uint64_t steps,
                                   std::size_t batch = 1, std::uint64_t reward_lag = 0);

// How even_plan() splits the columns: the first parties have one more where they do not divide.
[[nodiscard]] std::vector<std::size_t> even_columns(std::size_t parties, std::size_t features);

}  // namespace sotto::apps::bandit::run
